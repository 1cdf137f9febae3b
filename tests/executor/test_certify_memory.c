/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of certificates on the CPU: they allocate exactly the predicted number of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/certificates.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/plan_seal.h"

static struct test_matrix *matrix_of(const char *name)
{
    return test_matrix_named(name, TEST_VALUES_REAL);
}

static spmm_plan_t *plan_of(const struct test_matrix *a, spmm_dtype_t dtype, int has_transpose)
{
    return test_plan_whole(a, (struct test_plan_options){dtype, SPMM_SCHEDULE_WHOLE, 0, has_transpose, 0},
                           "x");
}

/* Returns the peak number of bytes allocated for a certifier and a check. */
static uint64_t taken(const struct test_certified *p, const spmm_certifier_options_t *options)
{
    spmm_certifier_t *certifier = NULL;
    spmm_certificate_t found = {.struct_size = sizeof found};
    const struct test_product *q = &p->product;
    test_counting_peak_reset();
    assert_int_equal(spmm_certifier_create(p->plan, p->executor, options, &certifier, NULL), SPMM_OK);
    assert_int_equal(spmm_certify(certifier, q->op, spmm_real(q->alpha), &p->b.view, spmm_real(q->beta),
                                  &p->before.view, &p->c.view, NULL, &found, NULL),
                     SPMM_OK);
    spmm_certifier_destroy(certifier);
    return test_counting_peak();
}

static void what_is_predicted_is_taken(void **state)
{
    static const char *const names[] = {"band", "arrow", "1 x 1", "power law"};
    static const int vectors[] = {0, 1, 9, 64}, columns[] = {1, 2, 33};
    (void)state;
    for (int turn = 0; turn < 4 * 4 * 3 * 3; turn++) {
        struct test_matrix *a = matrix_of(names[turn / 12 % 4]);
        spmm_plan_t *plan = plan_of(a, (spmm_dtype_t)(SPMM_F32 + turn % 4), turn % 3 > 0);
        const struct test_product product = {.op = turn % 3 == 2 ? SPMM_OP_T : SPMM_OP_N,
                                             .n = columns[turn / 4 % 3],
                                             .alpha = 2,
                                             .beta = -0.5,
                                             .values = TEST_VALUES_REAL};
        spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
        struct test_certified p;
        uint64_t host = 0, device = 1;
        options.vectors = vectors[turn / 36];
        options.threads = 1 + turn % 2;
        test_certified_make(&p, a, plan, &product, 1, 0);
        assert_int_equal(spmm_certifier_memory_bytes(p.executor, &options, product.op, &p.b.view, &p.c.view,
                                                     &host, &device, NULL),
                         SPMM_OK);
        assert_int_equal(device, 0);
        assert_int_equal(taken(&p, &options), host);
        test_certified_free(&p);
    }
}

/* A check then allocates nothing. */
static void products_without_elements_take_a_certifier_alone(void **state)
{
    static const struct {
        const char *name;
        int n, has_transpose;
    } cases[] = {{"band", 0, 0}, {"0 x 5", 3, 1}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct test_certified p;
        uint64_t host = 0, device = 1;
        struct test_matrix *a = matrix_of(cases[i].name);
        const struct test_product product = {.n = cases[i].n, .alpha = 1, .values = TEST_VALUES_REAL};
        test_certified_make(&p, a, plan_of(a, SPMM_F32, cases[i].has_transpose), &product, 1, 0);
#define COUNT(host, device) \
    spmm_certifier_memory_bytes(p.executor, NULL, SPMM_OP_N, &p.b.view, &p.c.view, host, device, NULL)
        assert_int_equal(COUNT(&host, NULL), SPMM_OK);
        assert_int_equal(COUNT(NULL, &device), SPMM_OK);
        assert_int_equal(device, 0);
#undef COUNT
        const spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
        assert_int_equal(taken(&p, &options), host);
        test_certified_free(&p);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct test_certified p;
    uint64_t host = 1, device = 1;
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    struct test_matrix *a = matrix_of("band");
    const struct test_product product = {.n = 3, .alpha = 1, .values = TEST_VALUES_REAL};
    test_certified_make(&p, a, plan_of(a, SPMM_F32, 0), &product, 1, 0);
    const spmm_dense_t *b = &p.b.view, *c = &p.c.view;
    spmm_dense_t narrow = *c;
    narrow.cols--;
    options.vectors = 65;
#define COUNT(executor, options, op, b, c) \
    spmm_certifier_memory_bytes(executor, options, op, b, c, &host, &device, NULL)
    assert_int_equal(COUNT(NULL, NULL, SPMM_OP_N, b, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(COUNT(p.executor, &options, SPMM_OP_N, b, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(COUNT(p.executor, NULL, (spmm_op_t)7, b, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(COUNT(p.executor, NULL, SPMM_OP_N, NULL, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(COUNT(p.executor, NULL, SPMM_OP_N, b, &narrow), SPMM_ERR_SHAPE);
    assert_int_equal(host + device, 0);
    p.b.view.rows = a->rows, p.c.view.rows = a->cols;
    assert_int_equal(COUNT(p.executor, NULL, SPMM_OP_T, b, c), SPMM_ERR_NO_VARIANT);
    test_certified_free(&p);
}

static int set_up(void **state)
{
    (void)state;
    test_counting_allocator_set();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_predicted_is_taken),
        cmocka_unit_test(products_without_elements_take_a_certifier_alone),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests_name("certify_memory", tests, set_up, NULL);
}
