/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates on the CPU. Right products of every family, type, op, layout and factor pass, including
 * products near their bound. Rows with infinity or NaN are judged by class. Vectors miss an error at the
 * stated rate. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "tests/support/certificates.h"
#include "tests/support/laws.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"

#define SEED 11

static void right_products_of_every_family_pass(void **state)
{
    (void)state;
    const int64_t compared = test_certified_families(SPMM_DEVICE_CPU, test_product_run, test_certify);
    printf("scorecard: certify %lld rows of right products, 0 false alarms\n", (long long)compared);
}

/* Every small matrix, including empty ones, in every type and with integer products. */
static void right_products_of_every_matrix_pass(void **state)
{
    (void)state;
    int64_t compared = 0;
    for (int m = 0; m < test_matrix_count() * 4; m++) {
        const spmm_dtype_t dtype = (spmm_dtype_t)(SPMM_F32 + m % 4);
        struct test_matrix *a = test_matrix_make(m / 4, TEST_VALUES_REAL);
        spmm_plan_t *plan =
            test_plan_whole(a, (struct test_plan_options){dtype, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, "x");
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
        spmm_certifier_t *certifier = test_certifier_make(plan, executor, SEED, m % 64 + 1);
        for (int turn = m; turn < m + 4; turn++) {
            const struct test_product product = test_product_of_turn(
                (spmm_op_t)(turn % 2), turn % 3 == 0 ? 1 : 5 * (turn % 4), turn, TEST_VALUES_REAL);
            test_certified_product(executor, certifier, a, dtype, &product, test_product_run, test_certify,
                                   &compared);
        }
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void products_near_their_bound_pass(void **state)
{
    (void)state;
    assert_true(test_certified_adversaries(SPMM_DEVICE_CPU, test_product_run, test_certify) > 0.5);
}

/* Makes a certified product of the matrix "band". */
static void band_make(struct test_certified *f, spmm_dtype_t dtype)
{
    static const struct test_product product = {
        .n = 12, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_WHOLE, 0, 1, 0};
    test_certified_make(f, a, test_plan_whole(a, options, "x"), &product, SEED, 0);
}

/* Returns the number of rows of C that hold infinity or NaN. */
static int64_t rows_not_finite(const struct test_dense *c)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < c->view.rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < c->view.cols; j++)
            sum += 0 * test_dense_get(c, i, j);
        rows += isnan(sum) != 0;
    }
    return rows;
}

static void what_is_not_finite_is_judged_by_class(void **state)
{
    (void)state;
    static const double values[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (int turn = 0; turn < 4 * 3; turn++) {
        struct test_certified f;
        band_make(&f, (spmm_dtype_t)(SPMM_F32 + turn % 4));
        test_dense_set(&f.c, 20, 5, values[turn / 4]); /* an element of C whose right value is finite */
        spmm_certificate_t found = test_certified_check(&f);
        assert_false(found.passed);
        assert_true(isinf(found.error_ratio) && found.first_row == 20 && found.rows_failed == 1);
        test_dense_set(&f.b, 40, 3, values[turn / 4]); /* C was computed before B got the value */
        found = test_certified_check(&f);
        assert_true(!found.passed && found.rows_failed > 1 && found.first_row == 20);
        test_certified_run(&f);
        found = test_certified_check(&f);
        assert_true(found.passed && found.rows_by_class > 0);
        assert_int_equal(found.rows_by_class, rows_not_finite(&f.c));
        test_certified_free(&f);
    }
}

/* Sums that overflow: f32 sums of 1e30 * 1e30, and 70,000 stored in 16 bits. */
static void sums_beyond_the_range_may_be_infinite(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct test_certified f;
        band_make(&f, turn == 0 ? SPMM_F32 : SPMM_F16);
        f.product.alpha = turn == 0 ? 1e30 : 1;
        for (int64_t i = 0; i < f.a->cols; i++)
            test_dense_set(&f.b, i, 4, turn == 0 ? 1e30 : 6e4);
        test_certified_run(&f);
        const spmm_certificate_t found = test_certified_check(&f);
        assert_true(found.passed && found.rows_by_class > 0);
        assert_int_equal(found.rows_by_class, rows_not_finite(&f.c));
        test_certified_free(&f);
    }
}

/* A row has the errors e and -e. A vector finds them if its two signs there differ, which holds for every
 * second vector. The number of seeds that miss must be within 4 standard deviations of the expected one. The
 * seeds are fixed. */
static void vectors_miss_as_often_as_stated(void **state)
{
    (void)state;
    const int64_t seeds = (int64_t)scaled(2000);
    struct test_certified f;
    band_make(&f, SPMM_F32);
    test_dense_set(&f.c, 7, 2, test_dense_get(&f.c, 7, 2) + 1);
    test_dense_set(&f.c, 7, 9, test_dense_get(&f.c, 7, 9) - 1);
    int64_t missed[5] = {0};
    for (int vectors = 1; vectors <= 4; vectors++) {
        const double expected = ldexp((double)seeds, -vectors);
        for (int64_t seed = 0; seed < seeds; seed++) {
            spmm_certifier_destroy(f.certifier);
            f.certifier = test_certifier_make(f.plan, f.executor, (uint64_t)seed, vectors);
            const spmm_certificate_t found = test_certified_check(&f);
            assert_true(found.miss_probability == ldexp(1, -vectors));
            missed[vectors] += found.passed;
        }
        assert_true(fabs((double)missed[vectors] - expected) < 4 * sqrt(expected));
    }
    printf("scorecard: certify %lld errors that cancel: %lld, %lld, %lld and %lld missed with 1 to 4 "
           "vectors; stated: "
           "one in 2, 4, 8, 16\n",
           (long long)seeds, (long long)missed[1], (long long)missed[2], (long long)missed[3],
           (long long)missed[4]);
    test_certified_free(&f);
}

static void threads_and_repeats_give_the_same_certificate(void **state)
{
    (void)state;
    struct test_certified f;
    band_make(&f, SPMM_F64);
    test_bit_flip(&f.c, 250, 1, 55);
    test_bit_flip(&f.c, 90, 11, 60);
    const spmm_certificate_t first = test_certified_check(&f);
    assert_true(first.first_row == 90 && first.rows_failed == 2);
    for (int threads = 0; threads < 5; threads++) {
        spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
        options.seed = SEED;
        options.threads = threads;
        spmm_certifier_destroy(f.certifier);
        assert_int_equal(spmm_certifier_create(f.plan, f.executor, &options, &f.certifier, NULL), SPMM_OK);
        const spmm_certificate_t again = test_certified_check(&f);
        assert_memory_equal(&again, &first, sizeof first);
    }
    test_certified_free(&f);
}

/* One product per row: the reference of the certificate must be more accurate than f64, otherwise the error
 * would be 0. */
static void the_sums_of_f64_are_wider_than_f64(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("one a row", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F64, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    const struct test_product product = {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL};
    struct test_certified f;
    test_certified_make(&f, a, test_plan_whole(a, options, "x"), &product, SEED, 0);
    for (int64_t j = 0; j < a->cols; j++)
        test_dense_set(&f.b, j, 0, test_dense_get(&f.b, j, 0) / 3);
    test_certified_run(&f);
    const spmm_certificate_t found = test_certified_check(&f);
    assert_true(found.passed && found.error_ratio > 0.4);
    test_certified_free(&f);
}

/* A product with new values passes only if the certifier's options name these values. */
static void new_values_are_given_in_the_options(void **state)
{
    (void)state;
    struct test_certified f;
    band_make(&f, SPMM_F32);
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    for (int64_t p = 0; p < f.a->nnz; p++)
        f.a->values[p] = test_real((uint64_t)p, 77);
    void *values = test_values_of(f.a, SPMM_F32);
    assert_int_equal(spmm_executor_set_values(f.executor, values, NULL, NULL), SPMM_OK);
    test_certified_run(&f);
    assert_false(test_certified_check(&f).passed);
    spmm_certifier_destroy(f.certifier);
    options.values = values;
    assert_int_equal(spmm_certifier_create(f.plan, f.executor, &options, &f.certifier, NULL), SPMM_OK);
    assert_true(test_certified_check(&f).passed);
    test_certified_free(&f);
    free(values);
}

/* Row i of C is row (*permutation)[i] of A. The certificate names rows by their number in C. */
static void permuted_output_passes_and_its_rows_are_named(void **state)
{
    (void)state;
    struct test_certified f;
    band_make(&f, SPMM_F32);
    spmm_certifier_destroy(f.certifier);
    spmm_executor_destroy(f.executor);
    test_plan_reorder(f.plan, 5, 1);
    f.executor = test_executor_make(f.plan, SPMM_DEVICE_CPU, 1, NULL);
    f.certifier = test_certifier_make(f.plan, f.executor, SEED, 0);
    assert_false(test_certified_check(&f).passed); /* C is still from the plan in matrix order */
    test_certified_run(&f);
    assert_true(test_certified_check(&f).passed);
    test_dense_set(&f.c, 123, 0, 100);
    assert_int_equal(test_certified_check(&f).first_row, 123);
    test_certified_free(&f);
}

/* Flips a bit of the plan in memory after the executor was made. */
static void a_damaged_plan_is_found(void **state)
{
    (void)state;
    struct test_certified f;
    spmm_certifier_t *certifier = NULL;
    band_make(&f, SPMM_F32);
    for (int place = 0; place < 2; place++) {
        unsigned char *byte =
            place == 0 ? (unsigned char *)f.plan->values + 41 : (unsigned char *)(f.plan->col_ind + 99);
        *byte ^= 4;
        assert_int_equal(spmm_certifier_create(f.plan, f.executor, NULL, &certifier, NULL),
                         SPMM_ERR_PLAN_DIGEST);
        assert_null(certifier);
        *byte ^= 4;
    }
    test_certified_free(&f);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    struct test_certified f;
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certifier_t *certifier = NULL;
    spmm_certificate_t found = {.struct_size = sizeof found};
    band_make(&f, SPMM_F32);
    const spmm_dense_t *b = &f.b.view, *c = &f.c.view, *c0 = &f.before.view;
    const spmm_scalar_t one = spmm_real(1), zero = spmm_real(0);
    options.vectors = 65;
    assert_int_equal(spmm_certifier_create(f.plan, f.executor, &options, &certifier, NULL),
                     SPMM_ERR_ARGUMENT);
    options.vectors = -1;
    assert_int_equal(spmm_certifier_create(f.plan, f.executor, &options, &certifier, NULL),
                     SPMM_ERR_ARGUMENT);
    options.vectors = 0, options.threads = -1;
    assert_int_equal(spmm_certifier_create(f.plan, f.executor, &options, &certifier, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_certifier_create(NULL, f.executor, NULL, &certifier, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_certifier_create(f.plan, NULL, NULL, &certifier, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_certifier_create(f.plan, f.executor, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
#define CERTIFY(alpha, b, beta, c0, c) \
    spmm_certify(f.certifier, SPMM_OP_N, alpha, b, beta, c0, c, NULL, &found, NULL)
    assert_int_equal(CERTIFY(one, b, one, NULL, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(CERTIFY(spmm_real((double)INFINITY), b, zero, NULL, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(CERTIFY(one, b, spmm_real((double)NAN), c0, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(CERTIFY(one, NULL, zero, NULL, c), SPMM_ERR_ARGUMENT);
    assert_int_equal(CERTIFY(one, b, zero, NULL, b), SPMM_ERR_OVERLAP);
    spmm_dense_t narrow = *c0;
    narrow.cols--;
    assert_int_equal(CERTIFY(one, b, one, &narrow, c), SPMM_ERR_SHAPE);
    assert_int_equal(CERTIFY(one, b, one, c0, &narrow), SPMM_ERR_SHAPE);
    assert_int_equal(found.rows, 0);
    assert_int_equal(spmm_certify(NULL, SPMM_OP_N, one, b, zero, NULL, c, NULL, &found, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_certify(f.certifier, SPMM_OP_N, one, b, zero, NULL, c, NULL, NULL, NULL),
                     SPMM_ERR_ARGUMENT);
    found.struct_size = 0;
    assert_int_equal(CERTIFY(one, b, zero, NULL, c), SPMM_ERR_ARGUMENT);
    test_certified_free(&f);
}

static void another_plan_and_a_pattern_are_refused(void **state)
{
    (void)state;
    struct test_certified f;
    spmm_certifier_t *certifier = NULL;
    band_make(&f, SPMM_F32);
    struct test_matrix *other = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(other, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, "x");
    assert_int_equal(spmm_certifier_create(plan, f.executor, NULL, &certifier, NULL), SPMM_ERR_MISMATCH);
    spmm_plan_destroy(plan);
    plan = test_plan_whole(f.a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 1}, "x");
    assert_int_equal(spmm_certifier_create(plan, f.executor, NULL, &certifier, NULL), SPMM_ERR_NO_VALUES);
    assert_null(certifier);
    spmm_plan_destroy(plan);
    test_matrix_free(other);
    test_certified_free(&f);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    struct test_certified f;
    band_make(&f, SPMM_F64);
    const int64_t live = spmmi_alloc_live();
    int64_t failed = 0;
    spmm_status_t status = SPMM_ERR_MEMORY;
    for (int64_t k = 0; status == SPMM_ERR_MEMORY; k++, failed++) {
        spmm_certifier_t *certifier = NULL;
        spmm_certificate_t found = {.struct_size = sizeof found};
        spmmi_alloc_fail_at(k, 0);
        status = spmm_certifier_create(f.plan, f.executor, NULL, &certifier, NULL);
        if (status == SPMM_OK)
            status = spmm_certify(certifier, SPMM_OP_N, spmm_real(2), &f.b.view, spmm_real(-0.5),
                                  &f.before.view, &f.c.view, NULL, &found, NULL);
        spmmi_alloc_fail_at(-1, 0);
        spmm_certifier_destroy(certifier);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_int_equal(status, SPMM_OK);
    assert_true(failed > 8);
    test_certified_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_of_every_family_pass),
        cmocka_unit_test(right_products_of_every_matrix_pass),
        cmocka_unit_test(products_near_their_bound_pass),
        cmocka_unit_test(what_is_not_finite_is_judged_by_class),
        cmocka_unit_test(sums_beyond_the_range_may_be_infinite),
        cmocka_unit_test(vectors_miss_as_often_as_stated),
        cmocka_unit_test(threads_and_repeats_give_the_same_certificate),
        cmocka_unit_test(the_sums_of_f64_are_wider_than_f64),
        cmocka_unit_test(new_values_are_given_in_the_options),
        cmocka_unit_test(permuted_output_passes_and_its_rows_are_named),
        cmocka_unit_test(a_damaged_plan_is_found),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(another_plan_and_a_pattern_are_refused),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("certify", tests, NULL, NULL);
}
