/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates at the limits: executors of other plans of the same matrix, exponents and factors at the ends
 * of their ranges, too many threads. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"
#include "tests/support/certificates.h"
#include "tests/support/plan_seal.h"

static const struct test_plan_options whole = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};

/* Plans of one matrix that differ in items, flags, parts or the ops of their variants. With such an executor
 * the certifier would look up rows of C in too few items, or in an op(A) that it has not made. */
static void an_executor_of_other_parts_is_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *const plans[] = {
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "x"),
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, "x"),
        test_plan_whole(a, whole, "another name alone")};
    enum { PLANS = sizeof plans / sizeof plans[0] };
    test_plan_reorder(plans[1], 5, 1);
    test_plan_reorder(plans[2], 6, 1);
    for (int e = 0; e < PLANS * PLANS; e++) {
        spmm_executor_t *executor = test_executor_make(plans[e / PLANS], SPMM_DEVICE_CPU, 1, NULL);
        spmm_certifier_t *certifier = NULL;
        const int is_same = e / PLANS % (PLANS - 1) == e % PLANS % (PLANS - 1);
        assert_int_equal(spmm_certifier_create(plans[e % PLANS], executor, NULL, &certifier, NULL),
                         is_same ? SPMM_OK : SPMM_ERR_MISMATCH);
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
    }
    for (int p = 0; p < PLANS; p++)
        spmm_plan_destroy(plans[p]);
    test_matrix_free(a);
}

static void scale(struct test_dense *d, int exponent)
{
    for (int64_t i = 0; i < d->view.rows; i++)
        for (int64_t j = 0; j < d->view.cols; j++)
            test_dense_set(d, i, j, ldexp(test_dense_get(d, i, j), exponent));
}

/* Makes a product whose A and B are scaled by powers of two. */
static void scaled_make(struct test_certified *f, const char *name, const struct test_plan_options *options,
                        int a_exponent, int b_exponent)
{
    static const struct test_product product = {.n = 8, .alpha = 1, .beta = 1, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_named(name, TEST_VALUES_REAL);
    for (int64_t p = 0; p < a->nnz; p++)
        a->values[p] = ldexp(a->values[p], a_exponent);
    test_certified_make(f, a, test_plan_whole(a, *options, "x"), &product, 11, 0);
    scale(&f->b, b_exponent);
}

static spmm_certificate_t passes(struct test_certified *f, double alpha, double beta)
{
    f->product.alpha = alpha;
    f->product.beta = beta;
    test_certified_run(f);
    const spmm_certificate_t found = test_certified_check(f);
    if (!found.passed)
        fail_msg("%s alpha %g beta %g: row %lld, ratio %g", spmm_dtype_name(f->plan->dtype), alpha, beta,
                 (long long)found.first_row, found.error_ratio);
    return found;
}

/* Flips the sign of the largest element of C and checks that the certificate names its row. Returns 0 without
 * a check if the element is below `least`, where underflow may hide the error. */
static int fault_is_found(struct test_certified *f, double least)
{
    int64_t at = 0;
    const int64_t n = f->product.n;
    for (int64_t q = 0; q < f->a->rows * n; q++)
        if (fabs(test_dense_get(&f->c, q / n, q % n)) > fabs(test_dense_get(&f->c, at / n, at % n)))
            at = q;
    const double c = test_dense_get(&f->c, at / n, at % n);
    if (fabs(c) < least)
        return 0;
    test_dense_set(&f->c, at / n, at % n, -c);
    assert_int_equal(test_certified_check(f).first_row, at / n);
    return 1;
}

/* A and B at every pair of exponents, from the smallest number to the largest, also far apart. For f64 the
 * largest exponent is the one at which a sum of 16 values of B is still finite. */
static void exponents_at_the_ends_of_their_ranges_pass(void **state)
{
    (void)state;
    static const struct {
        int least, most;
    } ranges[] = {[SPMM_F32] = {-149, 128},
                  [SPMM_F64] = {-1074, 1020},
                  [SPMM_F16] = {-24, 16},
                  [SPMM_BF16] = {-133, 128}};
    int64_t compared[SPMM_BF16 + 1] = {0}, faults[SPMM_BF16 + 1] = {0};
    enum { STEPS = 8 };
    for (int turn = 0; turn < 8 * STEPS * STEPS; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn % 4);
        const int is_packed = turn / 4 % 2, least = ranges[dtype].least, most = ranges[dtype].most;
        const struct test_plan_options options = {
            dtype, is_packed ? SPMM_SCHEDULE_PACKED : SPMM_SCHEDULE_WHOLE, 1, 0, 0};
        struct test_certified f;
        scaled_make(&f, "sparse", &options, least + (most - least) * (turn / 8 % STEPS) / (STEPS - 1),
                    least + (most - least) * (turn / 8 / STEPS) / (STEPS - 1));
        (void)passes(&f, 0.75, 0);
        (void)passes(&f, ldexp(1.5, least / 2), -1);
        (void)passes(&f, ldexp(1.5, most / 2), ldexp(1, least));
        const spmm_certificate_t found = passes(&f, 1, 0);
        compared[dtype] += found.rows - found.rows_by_class;
        if (!is_packed && found.rows_by_class == 0)
            faults[dtype] += fault_is_found(&f, ldexp(1, least + 16));
        test_certified_free(&f);
    }
    for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++)
        assert_true(compared[dtype] > 1000 && faults[dtype] > 4);
}

/* f64: rows whose sums would overflow are judged by class alone. */
static void rows_of_b_near_the_largest_double(void **state)
{
    (void)state;
    static const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    static const struct {
        int a, b, by_class;
    } cases[] = {{-200, 1019, 1}, {-200, 1022, 1}, {-1074, 1023, 1}, {-200, 956, 0}, {1023, -200, 0}};
    for (size_t q = 0; q < sizeof cases / sizeof cases[0]; q++) {
        struct test_certified f;
        scaled_make(&f, "1 x 1", &options, 0, 0);
        const double value = ldexp(1, cases[q].a);
        assert_int_equal(spmm_executor_set_values(f.executor, &value, NULL, NULL), SPMM_OK);
        spmm_certifier_options_t given = SPMM_CERTIFIER_OPTIONS_INIT;
        given.values = &value;
        spmm_certifier_destroy(f.certifier);
        assert_int_equal(spmm_certifier_create(f.plan, f.executor, &given, &f.certifier, NULL), SPMM_OK);
        for (int64_t l = 0; l < f.product.n; l++)
            test_dense_set(&f.b, 0, l, ldexp(1, cases[q].b));
        assert_int_equal(passes(&f, 1, 0).rows_by_class, cases[q].by_class);
        test_dense_set(&f.c, 0, 3, 0);
        assert_int_equal(test_certified_check(&f).passed, cases[q].by_class);
        test_certified_free(&f);
    }
}

/* Kernels round alpha and beta to the sum type. Rounding to a subnormal number can change them by a third. */
static void factors_are_those_of_the_type_of_sums(void **state)
{
    (void)state;
    static const double factors[] = {0x1.8p-149, 0x1.4p-148, 0x1.fffffep-127, 0x1.0000008p0, 0x1.fffffep127};
    for (int turn = 0; turn < 4 * 5; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn % 4);
        const struct test_plan_options options = {dtype, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
        struct test_certified f;
        scaled_make(&f, "sparse", &options, 0, dtype == SPMM_F16 ? 10 : 120);
        (void)passes(&f, factors[turn / 4], 0);
        (void)passes(&f, 1, factors[turn / 4]);
        scale(&f.b, dtype == SPMM_F16 ? -10 : -120);
        (void)passes(&f, factors[turn / 4], factors[turn / 4]);
        test_certified_free(&f);
    }
}

static void factors_that_are_infinite_in_it_are_refused(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4 * 2; turn++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + turn % 4);
        const struct test_plan_options options = {dtype, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
        struct test_certified f;
        scaled_make(&f, "sparse", &options, 0, 0);
        const double alpha = turn < 4 ? 1e39 : 1, beta = turn < 4 ? 0 : -1e39;
        spmm_certificate_t found = {.struct_size = sizeof found};
        if (dtype == SPMM_F64)
            assert_true(passes(&f, alpha, beta).passed);
        else
            assert_int_equal(spmm_certify(f.certifier, SPMM_OP_N, spmm_real(alpha), &f.b.view,
                                          spmm_real(beta), &f.before.view, &f.c.view, NULL, &found, NULL),
                             SPMM_ERR_ARGUMENT);
        test_certified_free(&f);
    }
}

/* The bound of a row of a 16-bit type does not grow with the result that is judged. */
static void a_wrong_result_does_not_raise_its_bound(void **state)
{
    (void)state;
    struct test_certified f;
    scaled_make(&f, "sparse", &(struct test_plan_options){SPMM_BF16, SPMM_SCHEDULE_WHOLE, 0, 0, 0}, 0, 0);
    assert_true(passes(&f, 1, 0).error_ratio <= 1);
    test_dense_set(&f.c, 7, 2, 0x1p100);
    assert_true(test_certified_check(&f).error_ratio > 0x1p90);
    test_certified_free(&f);
}

static void warnings_count(void *context, spmm_log_level_t level, const char *text)
{
    *(int *)context += level == SPMM_LOG_WARNING && strstr(text, "a certifier takes at most 1024") != NULL;
}

/* A check allocates memory for each thread before it starts any. */
static void threads_are_limited(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, whole, "x");
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certifier_t *certifier = NULL;
    int warnings = 0;
    spmm_log_set(warnings_count, &warnings, SPMM_LOG_WARNING);
    for (options.threads = 1024; options.threads <= 1025; options.threads++) {
        assert_int_equal(spmm_certifier_create(plan, executor, &options, &certifier, NULL), SPMM_OK);
        spmm_certifier_destroy(certifier);
        assert_int_equal(warnings, options.threads == 1025);
    }
    spmm_log_set(NULL, NULL, SPMM_LOG_OFF);
    assert_int_equal(spmmi_cpu_threads(INT64_C(1) << 40, 1, 1 << 20), SPMMI_TEAM_MAX);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_executor_of_other_parts_is_refused),
        cmocka_unit_test(exponents_at_the_ends_of_their_ranges_pass),
        cmocka_unit_test(rows_of_b_near_the_largest_double),
        cmocka_unit_test(factors_are_those_of_the_type_of_sums),
        cmocka_unit_test(factors_that_are_infinite_in_it_are_refused),
        cmocka_unit_test(a_wrong_result_does_not_raise_its_bound),
        cmocka_unit_test(threads_are_limited),
    };
    return cmocka_run_group_tests_name("certify_limits", tests, NULL, NULL);
}
