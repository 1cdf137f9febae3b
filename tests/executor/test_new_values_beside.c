/* SPDX-License-Identifier: Apache-2.0 */
/* New values while products and certificates of the same executor run. Each product uses either the old or
 * the new values, and new values are set although products follow each other without a gap. Also runs under
 * ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/certificates.h"
#include "tests/support/family_cases.h"
#include "tests/support/scale.h"

#define WORKERS 3
#define UPDATES 60 /* per family */
#define SETS 2

struct scene {
    spmm_executor_t *executor;
    const spmm_certifier_t *certifier; /* for the values of set 0 */
    struct test_product product;
    struct test_dense b, before, want[SETS];
    atomic_int is_over, failures, certified;
    atomic_int seen[SETS];
};

static void *multiply(void *context)
{
    struct scene *s = context;
    struct test_dense c = test_dense_copy(&s->before);
    uint64_t bytes = 0;
    s->failures += spmm_executor_workspace_bytes(s->executor, s->product.op, &s->b.view, &c.view, &bytes,
                                                 NULL) != SPMM_OK;
    void *workspace = aligned_alloc(256, ((size_t)bytes / 256 + 1) * 256);
    while (!s->is_over) {
        memcpy(c.block, s->before.block, c.block_bytes);
        s->failures +=
            spmm_execute(s->executor, s->product.op, spmm_real(s->product.alpha), &s->b.view,
                         spmm_real(s->product.beta), &c.view, workspace, bytes, NULL, NULL) != SPMM_OK;
        int set = 0;
        while (set < SETS && memcmp(c.block, s->want[set].block, c.block_bytes) != 0)
            set++;
        if (set < SETS)
            s->seen[set]++;
        else
            s->failures++;
    }
    free(workspace);
    test_dense_free(&c);
    return NULL;
}

/* The certifier has the values of set 0. Their product passes whatever the executor holds, the product of set
 * 1 fails. */
static void *certify(void *context)
{
    struct scene *s = context;
    while (!s->is_over)
        for (int set = 0; set < SETS; set++) {
            spmm_certificate_t found = {.struct_size = sizeof found};
            const spmm_status_t status = spmm_certify(
                s->certifier, s->product.op, spmm_real(s->product.alpha), &s->b.view,
                spmm_real(s->product.beta), &s->before.view, &s->want[set].view, NULL, &found, NULL);
            s->failures += status != (set == 0 ? SPMM_OK : SPMM_ERR_NOT_CERTIFIED);
            s->certified++;
        }
    return NULL;
}

static int is_busy(struct scene *s)
{
    return s->seen[0] == 0 || s->seen[1] == 0 || s->certified < SETS;
}

static void scene_run(struct scene *s, void *const values[SETS])
{
    pthread_t threads[WORKERS + 1];
    const int updates = (int)scaled(UPDATES);
    for (int t = 0; t < WORKERS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, multiply, s), 0);
    assert_int_equal(pthread_create(&threads[WORKERS], NULL, certify, s), 0);
    for (int i = 0; i < updates || is_busy(s); i++) /* ends only when products of both sets were seen */
        s->failures += spmm_executor_set_values(s->executor, values[i % SETS], NULL, NULL) != SPMM_OK;
    s->is_over = 1;
    for (int t = 0; t <= WORKERS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
    assert_int_equal(s->failures, 0);
}

static void each_product_is_of_one_set_of_values(void **state)
{
    (void)state;
    int products = 0;
    for (int f = 0; f < TEST_FAMILY_CASES; f++) {
        const struct test_family_case *of = &test_family_cases[f];
        struct test_matrix *a = test_matrix_named(of->matrix, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_family_plan(of, a);
        struct scene s = {.executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1 + f % 2, NULL),
                          .product = {.op = (spmm_op_t)(f % 2), .n = 7, .alpha = 2, .beta = -0.5}};
        spmm_certifier_t *certifier = test_certifier_make(plan, s.executor, 1, 0);
        void *values[SETS];
        s.certifier = certifier;
        s.product.values = TEST_VALUES_REAL;
        s.b = test_product_b(a, of->options.dtype, &s.product);
        s.before = test_product_c(a, of->options.dtype, &s.product);
        for (int set = 0; set < SETS; set++) {
            for (int64_t p = 0; set > 0 && p < a->nnz; p++)
                a->values[p] = test_real((uint64_t)p, 99);
            values[set] = test_values_of(a, of->options.dtype);
            assert_int_equal(spmm_executor_set_values(s.executor, values[set], NULL, NULL), SPMM_OK);
            s.want[set] = test_dense_copy(&s.before);
            test_product_run(s.executor, &s.product, &s.b, &s.want[set]);
        }
        scene_run(&s, values);
        products += s.seen[0] + s.seen[1];
        for (int set = 0; set < SETS; set++) {
            test_dense_free(&s.want[set]);
            free(values[set]);
        }
        test_dense_free(&s.before);
        test_dense_free(&s.b);
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(s.executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    printf("scorecard: E11 %d products beside new values, each of one set of values\n", products);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_product_is_of_one_set_of_values)};
    return cmocka_run_group_tests_name("new_values_beside", tests, NULL, NULL);
}
