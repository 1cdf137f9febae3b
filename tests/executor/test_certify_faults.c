/* SPDX-License-Identifier: Apache-2.0 */
/* Planted single-bit faults: each bit of the values and columns that an executor uses, of B after the product
 * and of C. All faults with an error of more than 3 times the bound of their row are found. Smaller ones do
 * not matter, and may be found or missed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/certificates.h"
#include "tests/support/family_cases.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"

#define FAULTS_A_BIT 6 /* faults of each kind per bit and family */
#define SLACK 3        /* not 2: the certificate's bound is not exactly the sum of the elements' bounds */

enum kind { OF_VALUES, OF_COLUMNS, OF_B, OF_C, KINDS };
static const char *const kind_names[KINDS] = {"values", "columns", "B", "C"};

static struct {
    int64_t large, large_found, small, small_found, by_class;
} counts[KINDS];

struct setup {
    const struct test_family_case *of;
    struct test_certified p; /* with the right product */
    struct test_accuracy accuracy;
};

static void setup_make(struct setup *s, const struct test_family_case *of)
{
    static const struct test_product product = {.n = 9, .alpha = 2, .beta = -0.5, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_named(of->matrix, TEST_VALUES_REAL);
    s->of = of;
    test_certified_make(&s->p, a, test_family_plan(of, a), &product, 1, 0);
    s->accuracy = test_product_accuracy(s->p.executor, &product, &s->p.b, &s->p.c);
}

/* Returns the sum of the error bounds of row i's elements: docs/accuracy.md. */
static long double bound_of_row(const struct setup *s, const struct test_dense *b, const struct test_dense *c,
                                int64_t i)
{
    long double sum = 0;
    for (int64_t l = 0; l < s->p.product.n; l++) {
        struct test_terms terms = {.count = s->p.a->row_ptr[i + 1] - s->p.a->row_ptr[i],
                                   .alpha = s->p.product.alpha,
                                   .beta = s->p.product.beta,
                                   .before = fabsl((long double)test_dense_get(&s->p.before, i, l))};
        for (int64_t p = s->p.a->row_ptr[i]; p < s->p.a->row_ptr[i + 1]; p++) {
            const long double x = (long double)test_dense_get(b, s->p.a->col_ind[p], l);
            terms.product += fabsl((long double)s->p.a->values[p] * x);
            terms.factors += test_small_factors(s->p.plan->dtype, (long double)s->p.a->values[p], x);
        }
        sum += test_stored_bound(s->p.plan->dtype, (long double)test_dense_get(c, i, l),
                                 test_terms_bound_of(&s->accuracy, &terms));
    }
    return sum;
}

/* Certifies a damaged product. `error` is the error of the worst element of row i; NaN and infinity count as
 * large. */
static void judge(const struct setup *s, enum kind kind, int bit, const struct test_dense *b,
                  const struct test_dense *c, int64_t i, double error)
{
    const long double bound = bound_of_row(s, b, c, i);
    const int is_large = !((long double)error <= SLACK * bound); /* true for NaN */
    const spmm_certificate_t found = test_certify(s->p.certifier, &s->p.product, b, &s->p.before, c);
    /* In f64 a fault can make magnitudes that are too large to compare. No row of the right product has such
     * values, so a row judged by class counts as found. */
    const int is_found = !found.passed || found.rows_by_class > 0;
    if (is_large && !is_found)
        fail_msg("%s, bit %d of %s, row %lld: error %g is %g times the bound and was missed", s->p.a->name,
                 bit, kind_names[kind], (long long)i, error, (double)((long double)error / bound));
    counts[kind].large += is_large;
    counts[kind].large_found += is_large && is_found;
    counts[kind].by_class += found.passed && found.rows_by_class > 0;
    counts[kind].small += !is_large;
    counts[kind].small_found += !is_large && is_found;
}

static double difference_in_row(const struct setup *s, const struct test_dense *x, const struct test_dense *y,
                                int64_t i)
{
    double most = 0;
    for (int64_t l = 0; l < s->p.product.n; l++) {
        const double d = fabs(test_dense_get(x, i, l) - test_dense_get(y, i, l));
        most = isnan(d) || d > most ? d : most;
        if (isnan(most))
            break;
    }
    return most;
}

static int64_t row_of(const struct test_matrix *a, int64_t p)
{
    int64_t i = 0;
    while (a->row_ptr[i + 1] <= p)
        i++;
    return i;
}

/* Judges the product of an executor whose row i of A is damaged. The certifier's plan is undamaged. */
static void judge_executor(const struct setup *s, enum kind kind, int bit, spmm_executor_t *executor,
                           int64_t i)
{
    struct test_dense c = test_dense_copy(&s->p.before);
    test_product_run(executor, &s->p.product, &s->p.b, &c);
    /* The two products may also differ by their rounding errors, at most by the bound. */
    judge(s, kind, bit, &s->p.b, &c, i, difference_in_row(s, &c, &s->p.c, i));
    test_dense_free(&c);
}

static void plant_in_values(const struct setup *s, int bit, int64_t p)
{
    const size_t size = spmm_dtype_size(s->p.plan->dtype);
    unsigned char *values = test_values_of(s->p.a, s->p.plan->dtype);
    values[(size_t)p * size + (size_t)bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_int_equal(spmm_executor_set_values(s->p.executor, values, NULL, NULL), SPMM_OK);
    judge_executor(s, OF_VALUES, bit, s->p.executor, row_of(s->p.a, p));
    free(values);
}

/* Flips a bit of a column number, if the columns of the row still ascend: only then can an executor be
 * made. */
static void plant_in_columns(const struct setup *s, int bit, int64_t p)
{
    struct test_matrix *a = s->p.a;
    const int64_t i = row_of(a, p), column = a->col_ind[p] ^ (INT64_C(1) << bit);
    if (column >= a->cols || (p > a->row_ptr[i] && a->col_ind[p - 1] >= column) ||
        (p + 1 < a->row_ptr[i + 1] && a->col_ind[p + 1] <= column))
        return;
    a->col_ind[p] ^= (int32_t)1 << bit;
    spmm_plan_t *plan = test_family_plan(s->of, a);
    a->col_ind[p] ^= (int32_t)1 << bit;
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    judge_executor(s, OF_COLUMNS, bit, executor, i);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

/* Flips a bit of B. Every row that stores the column is then wrong; the first of these rows is judged. */
static void plant_in_b(const struct setup *s, int bit, int64_t p)
{
    struct test_dense b = test_dense_copy(&s->p.b);
    const int64_t j = s->p.a->col_ind[p], l = p % s->p.product.n;
    test_bit_flip(&b, j, l, bit);
    const double change = fabs(test_dense_get(&b, j, l) - test_dense_get(&s->p.b, j, l));
    judge(s, OF_B, bit, &b, &s->p.c, row_of(s->p.a, p),
          fabs(s->p.product.alpha * s->p.a->values[p]) * change);
    test_dense_free(&b);
}

static void plant_in_c(const struct setup *s, int bit, int64_t p)
{
    struct test_dense c = test_dense_copy(&s->p.c);
    const int64_t i = row_of(s->p.a, p);
    test_bit_flip(&c, i, p % s->p.product.n, bit);
    judge(s, OF_C, bit, &s->p.b, &c, i, difference_in_row(s, &c, &s->p.c, i));
    test_dense_free(&c);
}

typedef void (*plant_fn)(const struct setup *s, int bit, int64_t p);

static void plant_all(enum kind kind, plant_fn plant)
{
    // Few faults in columns can be planted.
    const size_t faults = scaled(kind == OF_COLUMNS ? 10 * FAULTS_A_BIT : FAULTS_A_BIT);
    for (int f = 0; f < TEST_FAMILY_CASES; f++) {
        struct setup s;
        setup_make(&s, &test_family_cases[f]);
        const int bits = kind == OF_COLUMNS ? 13 : 8 * (int)spmm_dtype_size(s.p.plan->dtype);
        for (int bit = 0; bit < bits; bit++)
            for (size_t k = 0; k < faults; k++)
                plant(&s, bit, (int64_t)(test_hash((uint64_t)(64 * f + bit), k) % (uint64_t)s.p.a->nnz));
        test_certified_free(&s.p);
    }
    assert_true(counts[kind].large > 100);
    assert_int_equal(counts[kind].large_found, counts[kind].large);
    printf("scorecard: certify %lld of %lld faults in %s above the bound found (%lld in rows_by_class); "
           "below it %lld, "
           "too small to matter, %lld of them found\n",
           (long long)counts[kind].large_found, (long long)counts[kind].large, kind_names[kind],
           (long long)counts[kind].by_class, (long long)counts[kind].small,
           (long long)counts[kind].small_found);
}

static void faults_in_values_are_found(void **state)
{
    (void)state;
    plant_all(OF_VALUES, plant_in_values);
}

static void faults_in_columns_are_found(void **state)
{
    (void)state;
    plant_all(OF_COLUMNS, plant_in_columns);
}

static void faults_in_b_are_found(void **state)
{
    (void)state;
    plant_all(OF_B, plant_in_b);
}

static void faults_in_c_are_found(void **state)
{
    (void)state;
    plant_all(OF_C, plant_in_c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_in_values_are_found),
        cmocka_unit_test(faults_in_columns_are_found),
        cmocka_unit_test(faults_in_b_are_found),
        cmocka_unit_test(faults_in_c_are_found),
    };
    return cmocka_run_group_tests_name("certify_faults", tests, NULL, NULL);
}
