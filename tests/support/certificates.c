/* SPDX-License-Identifier: Apache-2.0 */
/* See certificates.h. */
#include "certificates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "adversary.h"
#include "family_cases.h"
#include "laws.h"
#include "plan_seal.h"

#define SEED 11

spmm_certifier_t *test_certifier_make(const spmm_plan_t *plan, const spmm_executor_t *executor, uint64_t seed,
                                      int vectors)
{
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certifier_t *certifier = NULL;
    spmm_diag_t diag = {.text = ""};
    options.seed = seed;
    options.vectors = vectors;
    options.threads = 1;
    if (spmm_certifier_create(plan, executor, &options, &certifier, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    return certifier;
}

spmm_certificate_t test_certify_views(const spmm_certifier_t *certifier, const struct test_product *product,
                                      const spmm_dense_t *b, const spmm_dense_t *before,
                                      const spmm_dense_t *c)
{
    spmm_certificate_t certificate = {.struct_size = sizeof certificate};
    spmm_diag_t diag = {.text = ""};
    const spmm_status_t status = spmm_certify(certifier, product->op, spmm_real(product->alpha), b,
                                              spmm_real(product->beta), before, c, NULL, &certificate, &diag);
    if (status != SPMM_OK && status != SPMM_ERR_NOT_CERTIFIED)
        fail_msg("%s", diag.text);
    assert_int_equal(certificate.passed, status == SPMM_OK);
    assert_int_equal(certificate.rows_failed == 0, status == SPMM_OK);
    assert_int_equal(certificate.first_row < 0, status == SPMM_OK);
    assert_int_equal(certificate.error_ratio <= 1, status == SPMM_OK);
    return certificate;
}

spmm_certificate_t test_certify(const spmm_certifier_t *certifier, const struct test_product *product,
                                const struct test_dense *b, const struct test_dense *before,
                                const struct test_dense *c)
{
    return test_certify_views(certifier, product, &b->view, &before->view, &c->view);
}

void test_certified_make(struct test_certified *p, struct test_matrix *a, spmm_plan_t *plan,
                         const struct test_product *product, uint64_t seed, int vectors)
{
    p->a = a;
    p->plan = plan;
    p->executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    p->certifier = test_certifier_make(plan, p->executor, seed, vectors);
    p->product = *product;
    p->b = test_product_b(a, plan->dtype, product);
    p->before = test_product_c(a, plan->dtype, product);
    p->c = test_dense_copy(&p->before);
    test_product_run(p->executor, product, &p->b, &p->c);
}

void test_certified_run(struct test_certified *p)
{
    memcpy(p->c.block, p->before.block, p->c.block_bytes);
    test_product_run(p->executor, &p->product, &p->b, &p->c);
}

spmm_certificate_t test_certified_check(const struct test_certified *p)
{
    return test_certify(p->certifier, &p->product, &p->b, &p->before, &p->c);
}

void test_certified_free(struct test_certified *p)
{
    test_dense_free(&p->c);
    test_dense_free(&p->before);
    test_dense_free(&p->b);
    spmm_certifier_destroy(p->certifier);
    spmm_executor_destroy(p->executor);
    spmm_plan_destroy(p->plan);
    test_matrix_free(p->a);
}

void test_certified_product(spmm_executor_t *executor, const spmm_certifier_t *certifier,
                            const struct test_matrix *a, spmm_dtype_t dtype,
                            const struct test_product *product, test_product_runner run,
                            test_certify_fn certify, int64_t *compared)
{
    struct test_dense b = test_product_b(a, dtype, product), c = test_product_c(a, dtype, product);
    struct test_dense before = test_dense_copy(&c);
    run(executor, product, &b, &c);
    const spmm_certificate_t found = certify(certifier, product, &b, &before, &c);
    if (!found.passed)
        fail_msg("%s %s op %s n %lld alpha %g beta %g: row %lld, ratio %g", a->name, spmm_dtype_name(dtype),
                 spmm_op_name(product->op), (long long)product->n, product->alpha, product->beta,
                 (long long)found.first_row, found.error_ratio);
    *compared += found.rows - found.rows_by_class;
    test_dense_free(&before);
    test_dense_free(&c);
    test_dense_free(&b);
}

int64_t test_certified_families(int device, test_product_runner run, test_certify_fn certify)
{
    int64_t compared = 0;
    for (int s = 0; s < TEST_FAMILY_CASES; s++) {
        struct test_matrix *a = test_matrix_named(test_family_cases[s].matrix, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_family_plan(&test_family_cases[s], a);
        spmm_executor_t *executor = test_executor_make(plan, device, 2, NULL);
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, SEED, 0);
        for (int turn = 0; turn < 2 * TEST_TURNS; turn++) {
            const struct test_product product = test_product_of_turn(
                (spmm_op_t)(turn / TEST_TURNS), 2 * turn % 70 + 1, turn, TEST_VALUES_REAL);
            test_certified_product(executor, certifier, a, plan->dtype, &product, run, certify, &compared);
        }
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_true(compared > 0);
    return compared;
}

/* Further inputs of certifying_run, and its result. */
static struct {
    const spmm_certifier_t *certifier;
    test_product_runner run;
    test_certify_fn certify;
    double nearest;
} near_bound;

static void certifying_run(spmm_executor_t *executor, const struct test_product *product,
                           const struct test_dense *b, struct test_dense *c)
{
    struct test_dense before = test_dense_copy(c);
    near_bound.run(executor, product, b, c);
    const spmm_certificate_t found = near_bound.certify(near_bound.certifier, product, b, &before, c);
    if (!found.passed)
        fail_msg("row %lld, ratio %g", (long long)found.first_row, found.error_ratio);
    near_bound.nearest = fmax(near_bound.nearest, found.error_ratio);
    test_dense_free(&before);
}

double test_certified_adversaries(int device, test_product_runner run, test_certify_fn certify)
{
    static const spmm_compute_t computes[] = {SPMM_COMPUTE_TF32, SPMM_COMPUTE_3XTF32, SPMM_COMPUTE_F64,
                                              SPMM_COMPUTE_F16, SPMM_COMPUTE_BF16};
    near_bound.run = run;
    near_bound.certify = certify;
    near_bound.nearest = 0;
    for (size_t q = 0; q < sizeof computes / sizeof computes[0] * (size_t)test_adversary_count(); q++) {
        const spmm_compute_t compute = computes[q / (size_t)test_adversary_count()];
        const int index = (int)(q % (size_t)test_adversary_count());
        const spmm_dtype_t dtype = compute >= SPMM_COMPUTE_TF32 ? SPMM_F32 : (spmm_dtype_t)compute;
        const struct test_adversary_target target = {dtype, dtype == SPMM_F64 ? 53 : device >= 0 ? 23 : 24};
        struct test_matrix *a = test_adversary_matrix(index, &target);
        spmm_plan_t *plan = test_plan_whole(
            a, (struct test_plan_options){dtype, SPMM_SCHEDULE_PACKED, SPMMI_STEPS_MAX, 0, 0}, a->name);
        test_plan_units(plan, 8, compute);
        spmm_executor_t *executor = test_executor_make(plan, device, 1, NULL);
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, SEED, 64);
        near_bound.certifier = certifier;
        assert_true(
            test_adversary_share(index, &target, a, executor, TEST_ADVERSARY_COLUMNS, certifying_run) <= 1);
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    return near_bound.nearest;
}

void test_bit_flip(struct test_dense *dense, int64_t i, int64_t j, int bit)
{
    const spmm_dense_t *d = &dense->view;
    const int64_t at = d->layout == SPMM_ROW_MAJOR ? i * d->ld + j : i + j * d->ld;
    unsigned char *bytes = (unsigned char *)d->data + at * (int64_t)spmm_dtype_size(d->type);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
}
