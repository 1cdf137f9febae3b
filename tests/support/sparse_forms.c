/* SPDX-License-Identifier: Apache-2.0 */
/* See sparse_forms.h. */
#include "sparse_forms.h"

#include <math.h>

void test_sparse_squares(int64_t entries_max, test_sparse_visit visit)
{
    for (int m = 0; m < test_matrix_count(); m++)
        for (int turn = 0; turn < 4; turn++) {
            struct test_matrix *a =
                test_matrix_make(m, turn % 2 == 0 ? TEST_VALUES_INTEGER : TEST_VALUES_REAL);
            const int is_turned = turn / 2;
            const int64_t size = is_turned ? a->cols : a->rows;
            const struct test_sparse_product square = {
                .count = 2,
                .factor = {a, a},
                .op = {is_turned ? SPMM_OP_T : SPMM_OP_N, is_turned ? SPMM_OP_N : SPMM_OP_T},
                .dtype = turn % 2 == 0 ? SPMM_F32 : SPMM_F64};
            if (size * size <= entries_max)
                visit(square);
            test_matrix_free(a);
        }
}

void test_sparse_forms(test_sparse_visit visit)
{
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL),
                       *b = test_matrix_named("lower triangle", TEST_VALUES_REAL),
                       *r = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL),
                       *d = test_matrix_named("dense", TEST_VALUES_REAL);
    const struct test_sparse_product products[] = {
        {.count = 2, .factor = {a, a}, .dtype = SPMM_F32},
        {.count = 2, .factor = {a, b}, .dtype = SPMM_F64},
        {.count = 2, .factor = {a, b}, .op = {SPMM_OP_T, SPMM_OP_T}, .dtype = SPMM_F64},
        {.count = 2, .factor = {b, b}, .op = {SPMM_OP_N, SPMM_OP_T}, .lower = 1, .dtype = SPMM_F64},
        {.count = 2, .factor = {b, b}, .op = {SPMM_OP_N, SPMM_OP_T}, .diagonal = 1, .dtype = SPMM_F32},
        {.count = 2,
         .factor = {r, r},
         .op = {SPMM_OP_T, SPMM_OP_N},
         .lower = 1,
         .diagonal = 1,
         .dtype = SPMM_F64},
        {.count = 3, .factor = {b, a, b}, .dtype = SPMM_F64},
        {.count = 3, .factor = {b, a, b}, .op = {SPMM_OP_T, SPMM_OP_N, SPMM_OP_N}, .dtype = SPMM_F64},
        {.count = 3, .factor = {b, a, b}, .op = {SPMM_OP_T}, .lower = 1, .dtype = SPMM_F32},
        {.count = 3, .factor = {a, a, a}, .op = {SPMM_OP_N, SPMM_OP_T, SPMM_OP_T}, .dtype = SPMM_F32},
        {.count = 3, .factor = {d, r, r}, .op = {SPMM_OP_N, SPMM_OP_N, SPMM_OP_T}, .dtype = SPMM_F64},
    };
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        visit(products[i]);
    test_matrix_free(a);
    test_matrix_free(b);
    test_matrix_free(r);
    test_matrix_free(d);
}

TEST_PATTERN(long_rows, i == 0 || (i == 1 ? j % 2 == 0 : i == 2 ? j < 4096 : j % 700 == i))
TEST_PATTERN(long_columns, j < 2 || (j == 2 && i < 4500) || j == 3 + i % 997)
TEST_PATTERN(every_one, true)
TEST_PATTERN(one_of_three, i % 3 == j)

/* The first 5000 rows have one entry each and fill one piece, in which column 0 has more than a stretch of
 * products. After them, every five full rows fill a piece. */
TEST_PATTERN(then_full, j == 0 || i >= 5000)

static struct test_matrix *with_values(const struct test_pattern *pattern, double value)
{
    struct test_matrix *a = test_matrix_of(pattern, TEST_VALUES_REAL);
    for (int64_t q = 0; q < a->nnz; q++)
        a->values[q] = value;
    return a;
}

/* Visits a product of two factors and frees them. */
static void visit_pieces(struct test_matrix *a, struct test_matrix *b, int64_t piece, test_sparse_visit visit)
{
    visit((struct test_sparse_product){
        .count = 2, .factor = {a, b}, .piece_products = piece, .dtype = SPMM_F64});
    test_matrix_free(a);
    test_matrix_free(b);
}

/* Visits the product in both types, with and without a diagonal. */
static void visit_pieces_of_all(const struct test_pattern *left, const struct test_pattern *right,
                                int64_t piece, test_sparse_visit visit)
{
    struct test_matrix *a = test_matrix_of(left, TEST_VALUES_REAL),
                       *b = test_matrix_of(right, TEST_VALUES_REAL);
    for (int i = 0; i < 4; i++)
        visit((struct test_sparse_product){.count = 2,
                                           .factor = {a, b},
                                           .piece_products = piece,
                                           .diagonal = i % 2,
                                           .dtype = i / 2 ? SPMM_F32 : SPMM_F64});
    test_matrix_free(a);
    test_matrix_free(b);
}

/* All products underflow to -0. So the sums of pieces are -0, but a piece without products has the sum 0. */
static void long_zeros(const struct test_pattern *left, const struct test_pattern *right, int64_t piece,
                       test_sparse_visit visit)
{
    visit_pieces(with_values(left, -0x1p-600), with_values(right, 0x1p-600), piece, visit);
}

/* Infinity in two rows, one of which also has NaN. */
static void long_specials(const struct test_pattern *left, const struct test_pattern *right,
                          test_sparse_visit visit)
{
    struct test_matrix *a = test_matrix_of(left, TEST_VALUES_REAL),
                       *b = test_matrix_of(right, TEST_VALUES_REAL);
    a->values[4200] = INFINITY;
    a->values[a->row_ptr[1] + 1] = INFINITY;
    a->values[a->row_ptr[1] + 4300] = (double)NAN;
    visit_pieces(a, b, 20000, visit);
}

TEST_PATTERN(beside_a_long_column, j == 0 || j == 1 + i / 3)
TEST_PATTERN(a_last_row, j == 0 || i == 8999)

/* One long entry among entries of 3 products. For all but one of the 6 slices of these entries, all products
 * are in one of the two pieces. */
static void soles(test_sparse_visit visit)
{
    static const struct test_pattern left = {"one row", 1, 9000, every_one},
                                     right = {"beside a long column", 9000, 3001, beside_a_long_column},
                                     late = {"a long column and a last row", 9000, 2500, a_last_row};
    visit_pieces_of_all(&left, &right, 5000, visit);
    long_zeros(&left, &right, 5000, visit);
    /* The row is cut, but the last entry of A ends the first piece, so -0 stays. */
    long_zeros(&left, &late, 10000, visit);
}

/* Visits a product with an entry of 42 stretches in 41 pieces, more than a thread block has warps. */
static void many_pieces(test_sparse_visit visit)
{
    static const struct test_pattern left = {"one row", 1, 5200, every_one},
                                     right = {"then full", 5200, 1000, then_full};
    visit_pieces(test_matrix_of(&left, TEST_VALUES_REAL), test_matrix_of(&right, TEST_VALUES_REAL), 5000,
                 visit);
}

void test_sparse_long_entries(test_sparse_visit visit)
{
    static const struct test_pattern left = {"long rows", 6, 9000, long_rows},
                                     right = {"long columns", 9000, 1000, long_columns},
                                     exact = {"two stretches", 3, 8192, every_one},
                                     sums = {"one of three", 1000, 3, one_of_three};
    struct test_matrix *a = test_matrix_of(&left, TEST_VALUES_REAL),
                       *b = test_matrix_of(&right, TEST_VALUES_REAL),
                       *e = test_matrix_of(&exact, TEST_VALUES_REAL),
                       *s = test_matrix_of(&sums, TEST_VALUES_REAL);
    const struct test_sparse_product products[] = {
        {.count = 2, .factor = {a, b}, .piece_products = INT64_MAX, .dtype = SPMM_F64},
        {.count = 2, .factor = {a, b}, .piece_products = 20000, .diagonal = 1, .dtype = SPMM_F32},
        {.count = 2, .factor = {a, b}, .piece_products = 20000, .diagonal = 1, .dtype = SPMM_F64},
        {.count = 2, .factor = {a, b}, .piece_products = 20000, .dtype = SPMM_F64},
        {.count = 2, .factor = {a, b}, .piece_products = 1, .dtype = SPMM_F64},
        {.count = 3, .factor = {a, b, s}, .piece_products = 20000, .dtype = SPMM_F64},
        {.count = 2,
         .factor = {e, e},
         .op = {SPMM_OP_N, SPMM_OP_T},
         .piece_products = INT64_MAX,
         .dtype = SPMM_F32},
        {.count = 2,
         .factor = {a, a},
         .op = {SPMM_OP_N, SPMM_OP_T},
         .lower = 1,
         .piece_products = 15000,
         .dtype = SPMM_F64},
    };
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        visit(products[i]);
    long_zeros(&left, &right, 20000, visit);
    long_specials(&left, &right, visit);
    many_pieces(visit);
    soles(visit);
    test_matrix_free(a);
    test_matrix_free(b);
    test_matrix_free(e);
    test_matrix_free(s);
}

TEST_PATTERN(three_kinds, i == 0   ? j < 300
                          : i == 1 ? j >= 660
                                   : j / 320 == (i % 100 == 2 ? 2 : i % 2) && j % 20 == i % 20)
TEST_PATTERN(kinds, i < 320 ? j < 3 : i < 640 ? j >= 10 && j < 17 : j >= 20)

struct test_sparse_product test_sparse_mixed_rows(spmm_dtype_t dtype)
{
    static const struct test_pattern left = {"three kinds", 9000, 960, three_kinds},
                                     right = {"kinds", 960, 60, kinds};
    return (struct test_sparse_product){
        .count = 2,
        .factor = {test_matrix_of(&left, TEST_VALUES_REAL), test_matrix_of(&right, TEST_VALUES_REAL)},
        .piece_products = 2000,
        .dtype = dtype};
}

void test_sparse_mixed_rows_free(const struct test_sparse_product *product)
{
    for (int f = 0; f < product->count; f++)
        test_matrix_free((struct test_matrix *)(uintptr_t)product->factor[f]);
}
