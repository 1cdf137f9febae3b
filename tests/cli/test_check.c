/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the check of products: right products pass, and every kind of wrong product fails. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/close.h"
#include "tools/compute/check.h"
#include "tools/compute/dense_matrix.h"
#include "tools/cli/number.h"

#define ROWS 4
#define COLS 3
#define N 2
#define NNZ 5

/* Row 2 is empty. Row 0: (0.1, 0.2, 0), row 1: (0, -3, 0), row 3: (1e-3, 0, 7). */
static const int64_t row_ptr[ROWS + 1] = {0, 2, 3, 3, 5};
static const int32_t col_ind[NNZ] = {0, 1, 1, 0, 2};
static const double values[NNZ] = {0.1, 0.2, -3.0, 1e-3, 7.0};
static const double b_values[COLS * N] = {1.25, -0.5, 3.0, 0.75, 0.3, 1024.0};

struct product {
    struct host_csr a;
    double b[COLS * N];
    float c_f32[ROWS * N];
    double c_f64[ROWS * N];
    uint16_t c_narrow[ROWS * N];
    spmm_dense_t c;
    struct check_input input;
};

/* Computes a product entry by entry in its own type. C is then right. */
static void product_make(struct product *p, spmm_dtype_t dtype)
{
    spmm_diag_t diag;
    const spmm_csr_t view = {ROWS, COLS, NNZ, SPMM_I64, SPMM_I32, row_ptr, col_ind, SPMM_F64, values};
    memset(p, 0, sizeof *p);
    assert_int_equal(host_csr_make(&view, dtype, &p->a, &diag), SPMM_OK);
    for (int q = 0; q < COLS * N; q++)
        p->b[q] = value_round(dtype, b_values[q]);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
            for (int64_t j = 0; j < N; j++) {
                const double b = p->b[col_ind[q] * N + j];
                p->c_f32[i * N + j] += (float)p->a.values[q] * (float)b;
                p->c_f64[i * N + j] += p->a.values[q] * b;
            }
        }
    }
    for (int q = 0; q < ROWS * N && value_type(dtype)->is_narrow; q++)
        value_set(dtype, p->c_narrow, q, (double)p->c_f32[q]);
    void *const data = dtype == SPMM_F32   ? (void *)p->c_f32
                       : dtype == SPMM_F64 ? (void *)p->c_f64
                                           : (void *)p->c_narrow;
    p->c = (spmm_dense_t){data, ROWS, N, N, SPMM_ROW_MAJOR, dtype};
    p->input = (struct check_input){.a = &p->a, .b = p->b, .n = N, .alpha = 1.0};
}

static void set(struct product *p, int64_t i, int64_t j, double value)
{
    value_set(p->c.type, p->c.data, i * N + j, value);
}

/* Returns the error ratio. Both ways to check must give the same one. */
static double ratio_of(struct product *p)
{
    static const int64_t rows[ROWS] = {0, 1, 2, 3};
    struct check_reference *reference = NULL;
    struct check_result direct;
    spmm_diag_t diag;
    assert_int_equal(check_product(&p->input, &p->c, &direct, &diag), SPMM_OK);
    assert_int_equal(check_reference_make(&p->input, rows, ROWS, &reference, &diag), SPMM_OK);
    const struct check_result kept = check_against(reference, &p->c, (struct arithmetic){0});
    assert_true(isinf(direct.ratio) ? isinf(kept.ratio)
                                    : fabs(direct.ratio - kept.ratio) <= 1e-12 * direct.ratio);
    check_reference_free(reference);
    return direct.ratio;
}

static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
#define DTYPES (int)(sizeof dtypes / sizeof *dtypes)

static void a_product_computed_in_any_order_is_right(void **state)
{
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        struct product p;
        product_make(&p, dtypes[t]);
        const double ratio = ratio_of(&p);
        assert_true(ratio > 0.0 && ratio <= 1.0);
        host_csr_free(&p.a);
    }
}

static void an_error_of_a_few_roundings_is_wrong(void **state)
{
    static const struct {
        int64_t i, j;
        double relative; /* in unit roundoffs of the type */
        int is_right;
    } table[] = {{0, 0, 0.0, 1}, {0, 0, 6.0, 0}, {0, 0, -6.0, 0},
                 {1, 1, 3.0, 0}, {3, 1, 5.0, 0}, {3, 1, 1e9, 0}};
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
            struct product p;
            product_make(&p, dtypes[t]);
            const double u = value_type(dtypes[t])->unit;
            const double right = dense_get(&p.c, table[k].i, table[k].j);
            set(&p, table[k].i, table[k].j, right * (1.0 + table[k].relative * u));
            assert_int_equal(ratio_of(&p) <= 1.0, table[k].is_right);
            host_csr_free(&p.a);
        }
    }
}

static void an_empty_row_has_to_be_exactly_zero(void **state)
{
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        struct product p;
        product_make(&p, dtypes[t]);
        set(&p, 2, 1, -0.0);
        assert_true(ratio_of(&p) <= 1.0);
        set(&p, 2, 1, value_type(dtypes[t])->tiny);
        assert_true(isinf(ratio_of(&p)));
        host_csr_free(&p.a);
    }
}

static void nan_and_infinity_are_wrong_where_they_are_not_expected(void **state)
{
    static const double intruders[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        for (int k = 0; k < 3; k++) {
            for (int64_t i = 0; i < ROWS; i++) {
                struct product p;
                product_make(&p, dtypes[t]);
                set(&p, i, 0, intruders[k]);
                assert_true(isinf(ratio_of(&p)));
                host_csr_free(&p.a);
            }
        }
    }
}

static void nan_and_infinity_are_demanded_where_they_are_expected(void **state)
{
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        struct product p;
        product_make(&p, dtypes[t]);
        p.b[1 * N + 0] = (double)NAN; /* reaches rows 0 and 1 */
        assert_true(isinf(ratio_of(&p)));
        set(&p, 0, 0, (double)NAN);
        assert_true(isinf(ratio_of(&p)));
        set(&p, 1, 0, (double)NAN);
        assert_true(ratio_of(&p) <= 1.0);
        p.b[1 * N + 0] = (double)INFINITY;
        set(&p, 0, 0, (double)INFINITY);
        set(&p, 1, 0, -(double)INFINITY);
        assert_true(ratio_of(&p) <= 1.0);
        set(&p, 1, 0, (double)INFINITY);
        assert_true(isinf(ratio_of(&p)));
        host_csr_free(&p.a);
    }
}

static void alpha_and_beta_take_part(void **state)
{
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        struct product p;
        product_make(&p, dtypes[t]);
        double numbers[ROWS * N];
        spmm_dense_t before = p.c;
        before.data = numbers;
        for (int q = 0; q < ROWS * N; q++)
            value_set(dtypes[t], numbers, q, (double)q - 2.5);
        p.input.alpha = 0.3;
        p.input.beta = -2.0;
        p.input.c0 = &before;
        assert_true(ratio_of(&p) > 1.0);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < N; j++)
                set(&p, i, j, 0.3 * dense_get(&p.c, i, j) - 2.0 * dense_get(&before, i, j));
        assert_true(ratio_of(&p) <= 1.0);
        p.input.alpha = 0.0;
        p.b[0] = (double)NAN; /* not read */
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < N; j++)
                set(&p, i, j, -2.0 * dense_get(&before, i, j));
        assert_true(ratio_of(&p) <= 1.0);
        host_csr_free(&p.a);
    }
}

static void a_row_outside_the_sample_that_was_not_written_is_found(void **state)
{
    static const int64_t rows[] = {1};
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        struct product p;
        struct check_reference *reference = NULL;
        spmm_diag_t diag;
        product_make(&p, dtypes[t]);
        assert_int_equal(check_reference_make(&p.input, rows, 1, &reference, &diag), SPMM_OK);
        assert_true(check_against(reference, &p.c, (struct arithmetic){0}).ratio <= 1.0);
        set(&p, 3, 1, (double)NAN);
        assert_true(isinf(check_against(reference, &p.c, (struct arithmetic){0}).ratio));
        check_reference_free(reference);
        host_csr_free(&p.a);
    }
}

static void a_narrower_product_is_judged_by_the_first_columns(void **state)
{
    static const int64_t rows[ROWS] = {0, 1, 2, 3};
    struct product p;
    struct check_reference *reference = NULL;
    spmm_diag_t diag;
    double column[ROWS];
    (void)state;
    product_make(&p, SPMM_F64);
    assert_int_equal(check_reference_make(&p.input, rows, ROWS, &reference, &diag), SPMM_OK);
    for (int64_t i = 0; i < ROWS; i++)
        column[i] = dense_get(&p.c, i, 0);
    const spmm_dense_t narrow = {column, ROWS, 1, ROWS, SPMM_COL_MAJOR, SPMM_F64};
    assert_true(check_against(reference, &narrow, (struct arithmetic){0}).ratio <= 1.0);
    column[3] = dense_get(&p.c, 3, 1);
    assert_true(check_against(reference, &narrow, (struct arithmetic){0}).ratio > 1.0);
    check_reference_free(reference);
    host_csr_free(&p.a);
}

static void the_transpose_of_the_transpose_is_the_matrix(void **state)
{
    struct product p;
    struct host_csr at;
    struct host_csr back;
    spmm_diag_t diag;
    (void)state;
    product_make(&p, SPMM_F64);
    assert_int_equal(host_csr_transpose(&p.a, &at, &diag), SPMM_OK);
    assert_int_equal(at.rows, COLS);
    assert_int_equal(at.row_ptr[1], 2);
    assert_int_equal(at.col_ind[1], 3);
    assert_int_equal(host_csr_transpose(&at, &back, &diag), SPMM_OK);
    assert_memory_equal(back.row_ptr, row_ptr, sizeof row_ptr);
    assert_memory_equal(back.col_ind, col_ind, sizeof col_ind);
    assert_memory_equal(back.values, values, sizeof values);
    host_csr_free(&back);
    host_csr_free(&at);
    host_csr_free(&p.a);
}

static void blocks_hold_every_entry_at_its_position(void **state)
{
    struct product p;
    struct host_bsr bsr;
    spmm_diag_t diag;
    (void)state;
    product_make(&p, SPMM_F64);
    assert_int_equal(host_bsr_count(&p.a, 2), 3);
    assert_int_equal(host_bsr_make(&p.a, 2, &bsr, &diag), SPMM_OK);
    assert_int_equal(bsr.block_rows, 2);
    assert_int_equal(bsr.block_cols, 2);
    assert_int_equal(bsr.blocks, 3);
    double dense[ROWS][COLS + 1] = {{0}};
    for (int64_t bi = 0; bi < 2; bi++)
        for (int32_t q = bsr.row_ptr[bi]; q < bsr.row_ptr[bi + 1]; q++)
            for (int64_t e = 0; e < 4; e++)
                dense[bi * 2 + e / 2][bsr.col_ind[q] * 2 + e % 2] += ((const double *)bsr.values)[q * 4 + e];
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
            assert_true(dense[i][col_ind[q]] <= values[q] && dense[i][col_ind[q]] >= values[q]);
            dense[i][col_ind[q]] = 0.0;
        }
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j <= COLS; j++)
            assert_false(dense[i][j] < 0.0 || dense[i][j] > 0.0);
    /* The same with two blocks per row; the lower block row has only one block. */
    struct host_ell ell;
    assert_int_equal(host_ell_width(&bsr), 2);
    assert_int_equal(host_ell_make(&bsr, SPMM_F64, &ell, &diag), SPMM_OK);
    assert_int_equal(ell.width, 2);
    for (int64_t bi = 0; bi < 2; bi++) {
        const int32_t length = bsr.row_ptr[bi + 1] - bsr.row_ptr[bi];
        for (int32_t slot = 0; slot < 2; slot++) {
            const int32_t q = bsr.row_ptr[bi] + slot;
            assert_int_equal(ell.col_ind[bi * 2 + slot], slot < length ? bsr.col_ind[q] : -1);
            for (int64_t e = 0; e < 4; e++) {
                const double wanted = slot < length ? ((const double *)bsr.values)[q * 4 + e] : 0.0;
                const double found = ((const double *)ell.values)[(bi * 2 + e / 2) * 4 + slot * 2 + e % 2];
                assert_memory_equal(&found, &wanted, sizeof found);
            }
        }
    }
    host_ell_free(&ell);
    host_bsr_free(&bsr);
    host_csr_free(&p.a);
}

static void random_values_fill_the_interval_and_fit_the_type(void **state)
{
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        double sum = 0.0;
        double largest = 0.0;
        for (int64_t i = 0; i < 10000; i++) {
            const double x = dense_random(dtypes[t], 3, i, i % 7);
            assert_true(x > -1.0 && x < 1.0 && (x > 0.0 || x < 0.0));
            assert_memory_equal(&(double){value_round(dtypes[t], x)}, &x, sizeof x);
            sum += x;
            largest = fabs(x) > largest ? fabs(x) : largest;
        }
        assert_true(fabs(sum) < 4.0 * 58.0); /* four standard deviations of the sum */
        assert_true(largest > 0.99);
    }
}

/* The error ratio of a far too large element determines the bound, which must be equal to the bound of the
 * tests' own check. */
static void the_bound_is_that_of_the_other_tests(void **state)
{
    static const double factors[][2] = {{1.0, 0.0}, {0.3, 0.0}, {1.0, 1.0},     {-2.0, 0.3},
                                        {0.0, 0.1}, {0.1, 0.2}, {1024.0, -1.0}, {1.0, 1e6}};
    static const char *const kernels[] = {
        "cpu/rows/row-split",      "cuda/panel/dense/p64/f16", "cpu/window/packed/tf32",
        "cuda/window/packed/tf32", "cpu/window/packed/3xtf32", "cuda/panel/packed/p64/reordered/3xtf32"};
    (void)state;
    for (int t = 0; t < DTYPES; t++) {
        for (size_t k = 0; k < sizeof factors / sizeof factors[0]; k++) {
            for (int64_t i = 0; i < ROWS; i++) {
                struct product p;
                product_make(&p, dtypes[t]);
                const double far = value_round(dtypes[t], 6e4); /* below the largest f16 */
                double numbers[ROWS * N];
                spmm_dense_t before = p.c;
                before.data = numbers;
                for (int q = 0; q < ROWS * N; q++)
                    value_set(dtypes[t], numbers, q, 3.5);
                p.input.alpha = factors[k][0];
                p.input.beta = factors[k][1];
                p.input.c0 = &before;
                struct test_terms terms = {.count = row_ptr[i + 1] - row_ptr[i],
                                           .alpha = factors[k][0],
                                           .beta = factors[k][1],
                                           .before = 3.5L};
                long double want = (long double)factors[k][1] * 3.5L;
                for (int64_t q = row_ptr[i]; q < row_ptr[i + 1]; q++) {
                    const long double term = (long double)p.a.values[q] * (long double)p.b[col_ind[q] * N];
                    want += (long double)factors[k][0] * term;
                    terms.product += fabsl(term);
                }
                for (int64_t other = 0; other < ROWS; other++)
                    for (int64_t j = 0; j < N; j++)
                        set(&p, other, j, (double)NAN);
                set(&p, i, 0, far);
                struct check_reference *reference = NULL;
                spmm_diag_t diag;
                assert_int_equal(check_reference_make(&p.input, &i, 1, &reference, &diag), SPMM_OK);
                const spmm_dense_t first = {p.c.data, ROWS, 1, N, SPMM_ROW_MAJOR, dtypes[t]};
                for (size_t name = 0; name < sizeof kernels / sizeof kernels[0]; name++) {
                    const struct arithmetic arithmetic = arithmetic_of_kernel(kernels[name], dtypes[t]);
                    const struct test_accuracy accuracy = test_accuracy_of(dtypes[t], kernels[name]);
                    const double ratio = check_against(reference, &first, arithmetic).ratio;
                    const long double bound =
                        test_stored_bound(dtypes[t], want, test_terms_bound_of(&accuracy, &terms));
                    const double expected = test_ratio(far, want, bound);
                    if (!(isinf(ratio) ? isinf(expected) : fabs(ratio - expected) <= 1e-9 * expected))
                        fail_msg("%s, alpha %g, beta %g, row %lld: %g, expected %g", kernels[name],
                                 factors[k][0], factors[k][1], (long long)i, ratio, expected);
                }
                check_reference_free(reference);
                host_csr_free(&p.a);
            }
        }
    }
}

/* One row of 1,000 ones times b = 0, so that only beta C remains. The length of the row must not excuse an
 * error of beta C. */
static void a_long_row_does_not_excuse_an_error_of_beta_c(void **state)
{
    enum { LENGTH = 1000 };
    static int64_t starts[2] = {0, LENGTH};
    static int32_t columns[LENGTH];
    static double ones[LENGTH], b[LENGTH];
    const spmm_csr_t view = {1, LENGTH, LENGTH, SPMM_I64, SPMM_I32, starts, columns, SPMM_F64, ones};
    struct host_csr a;
    spmm_diag_t diag;
    double before = 3.0, after;
    (void)state;
    for (int32_t q = 0; q < LENGTH; q++) {
        columns[q] = q;
        ones[q] = 1.0;
    }
    assert_int_equal(host_csr_make(&view, SPMM_F64, &a, &diag), SPMM_OK);
    const spmm_dense_t c0 = {&before, 1, 1, 1, SPMM_ROW_MAJOR, SPMM_F64};
    const spmm_dense_t c = {&after, 1, 1, 1, SPMM_ROW_MAJOR, SPMM_F64};
    const struct check_input input = {.a = &a, .b = b, .n = 1, .alpha = 1.0, .beta = 2.0, .c0 = &c0};
    struct check_result result;
    after = 6.0 * (1.0 + 0x1p-52);
    assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
    assert_true(result.ratio <= 1.0);
    after = 6.0 * (1.0 + 10.0 * 0x1p-53);
    assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
    assert_true(result.ratio > 1.0);
    host_csr_free(&a);
}

/* Row 3 sums 1e-3 * b[0] + 7 * b[2]. Only f32 and f64 are tested: numbers of f16 cannot overflow a sum in
 * f32. */
static void a_sum_that_may_overflow_still_has_a_bound(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        const double largest = value_type(dtypes[t])->largest;
        static const double intruders[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
        struct product p;
        product_make(&p, dtypes[t]);
        p.b[2 * N] = largest; /* 7 * largest is out of range; alpha brings the result back into it */
        p.input.alpha = 0.0625;
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < N; j++)
                set(&p, i, j, 0.0625 * dense_get(&p.c, i, j));
        set(&p, 3, 0, 0.4375 * largest);
        assert_true(ratio_of(&p) <= 1.0);
        for (int k = 0; k < 3; k++) {
            set(&p, 3, 0, intruders[k]);
            assert_true(ratio_of(&p) <= 1.0);
        }
        set(&p, 3, 0, 0.5 * largest);
        assert_true(ratio_of(&p) > 1e3);
        set(&p, 3, 0, 0.0);
        assert_true(ratio_of(&p) > 1e3);
        set(&p, 3, 0, 0.4375 * largest);
        for (int k = 0; k < 3; k++) {
            set(&p, 0, 0, intruders[k]);
            assert_true(isinf(ratio_of(&p)));
        }
        host_csr_free(&p.a);
    }
}

/* A row of 300 numbers times one column. A sum that is kept in f32 and rounded once is right. A sum that
 * is rounded to the type after each addition is wrong. */
static void sums_kept_in_16_bits_are_wrong(void **state)
{
    enum { LENGTH = 300 };
    static int64_t starts[2] = {0, LENGTH};
    static int32_t columns[LENGTH];
    static double numbers[LENGTH], b[LENGTH];
    const spmm_csr_t view = {1, LENGTH, LENGTH, SPMM_I64, SPMM_I32, starts, columns, SPMM_F64, numbers};
    (void)state;
    for (int t = 2; t < DTYPES; t++) {
        const spmm_dtype_t dtype = dtypes[t];
        struct host_csr a;
        struct check_result result;
        spmm_diag_t diag;
        float sum = 0.0f;
        double sum_kept = 0.0;
        uint16_t after;
        for (int32_t q = 0; q < LENGTH; q++) {
            columns[q] = q;
            numbers[q] = fabs(dense_random(dtype, 1, q, 0));
            b[q] = fabs(dense_random(dtype, 1, q, 1));
        }
        assert_int_equal(host_csr_make(&view, dtype, &a, &diag), SPMM_OK);
        for (int q = 0; q < LENGTH; q++) {
            sum += (float)a.values[q] * (float)b[q];
            sum_kept = value_round(dtype, sum_kept + value_round(dtype, a.values[q] * b[q]));
        }
        const spmm_dense_t c = {&after, 1, 1, 1, SPMM_ROW_MAJOR, dtype};
        const struct check_input input = {.a = &a, .b = b, .n = 1, .alpha = 1.0};
        value_set(dtype, &after, 0, (double)sum);
        assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
        assert_true(result.ratio <= 1.0);
        value_set(dtype, &after, 0, sum_kept);
        assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
        assert_true(result.ratio > 1.0);
        host_csr_free(&a);
    }
}

/* C of f16 may have the rounding of f16, C of f32 may not, whatever the type of A and B. */
static void c_is_judged_by_the_type_that_stores_it(void **state)
{
    static const spmm_dtype_t of_a_and_b[] = {SPMM_F32, SPMM_F16};
    (void)state;
    for (size_t t = 0; t < sizeof of_a_and_b / sizeof *of_a_and_b; t++) {
        struct product p;
        product_make(&p, of_a_and_b[t]);
        for (int64_t q = 0; q < ROWS * N; q++)
            value_set(SPMM_F16, p.c_narrow, q, (double)p.c_f32[q]);
        p.c.type = SPMM_F16;
        p.c.data = p.c_narrow;
        assert_true(ratio_of(&p) > 0.1 && ratio_of(&p) <= 1.0);
        p.c.type = SPMM_F32;
        p.c.data = p.c_f32;
        assert_true(ratio_of(&p) <= 1.0);
        for (int64_t q = 0; q < ROWS * N; q++)
            p.c_f32[q] = (float)value_get(SPMM_F16, p.c_narrow, q);
        assert_true(ratio_of(&p) > 1.0); /* numbers rounded to 16 bits in an array of f32 */
        host_csr_free(&p.a);
    }
}

/* One entry times one number. If the rounded product is out of the range of f16, only the infinity with the
 * sign of the product is right. */
static void a_sum_stored_beyond_the_range_is_the_infinity_of_its_sign(void **state)
{
    static const struct {
        double value, b, found;
        int is_right;
    } table[] = {{256.0, 300.0, (double)INFINITY, 1},
                 {256.0, 300.0, -(double)INFINITY, 0},
                 {256.0, 300.0, 65504.0, 0},
                 {256.0, 300.0, (double)NAN, 0},
                 {-256.0, 300.0, -(double)INFINITY, 1},
                 {256.0, 250.0, (double)INFINITY, 0},
                 {2047.0, 32.0, 65504.0, 1},
                 {2047.0, 32.0, (double)INFINITY, 0}};
    static const int64_t starts[2] = {0, 1};
    static const int32_t column = 0;
    (void)state;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const spmm_csr_t view = {1, 1, 1, SPMM_I64, SPMM_I32, starts, &column, SPMM_F64, &table[k].value};
        struct host_csr a;
        struct check_result result;
        spmm_diag_t diag;
        uint16_t after;
        const spmm_dense_t c = {&after, 1, 1, 1, SPMM_ROW_MAJOR, SPMM_F16};
        assert_int_equal(host_csr_make(&view, SPMM_F16, &a, &diag), SPMM_OK);
        const struct check_input input = {.a = &a, .b = &table[k].b, .n = 1, .alpha = 1.0};
        value_set(SPMM_F16, &after, 0, table[k].found);
        assert_int_equal(check_product(&input, &c, &result, &diag), SPMM_OK);
        assert_int_equal(result.ratio <= 1.0, table[k].is_right);
        host_csr_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_computed_in_any_order_is_right),
        cmocka_unit_test(an_error_of_a_few_roundings_is_wrong),
        cmocka_unit_test(an_empty_row_has_to_be_exactly_zero),
        cmocka_unit_test(nan_and_infinity_are_wrong_where_they_are_not_expected),
        cmocka_unit_test(nan_and_infinity_are_demanded_where_they_are_expected),
        cmocka_unit_test(alpha_and_beta_take_part),
        cmocka_unit_test(the_bound_is_that_of_the_other_tests),
        cmocka_unit_test(sums_kept_in_16_bits_are_wrong),
        cmocka_unit_test(c_is_judged_by_the_type_that_stores_it),
        cmocka_unit_test(a_sum_stored_beyond_the_range_is_the_infinity_of_its_sign),
        cmocka_unit_test(a_long_row_does_not_excuse_an_error_of_beta_c),
        cmocka_unit_test(a_sum_that_may_overflow_still_has_a_bound),
        cmocka_unit_test(a_row_outside_the_sample_that_was_not_written_is_found),
        cmocka_unit_test(a_narrower_product_is_judged_by_the_first_columns),
        cmocka_unit_test(the_transpose_of_the_transpose_is_the_matrix),
        cmocka_unit_test(blocks_hold_every_entry_at_its_position),
        cmocka_unit_test(random_values_fill_the_interval_and_fit_the_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
