/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows of wide matrices, multiplied by pieces in the order of column panels: compared with the
 * reference and the CPU, with guard bands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "hostile_tables.h"
#include "tests/support/plan_build.h"

/* A B with 512 bytes per row is larger than the L2 cache of any current GPU. */
#define ROWS 20
#define COLS 150000

/* Row 0 is full. The other rows have at most a tenth of the columns, eight columns or none. */
TEST_PATTERN(wide_rows,
             i == 0 || (i % 5 == 1 ? (j + i) % 20000 == 0 : i % 7 != 3 && test_chance(i, j, (uint64_t)i + 9)))
static const struct test_pattern pattern = {"wide rows", ROWS, COLS, wide_rows};

static int uses_pieces(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                       const struct test_product *product)
{
    const spmm_executor_info_t info = test_cuda_product_info(executor, a, dtype, product);
    return strstr(info.kernel, "pieces") != NULL;
}

/* Types, layouts, factors and alignments vary from case to case. */
static const struct {
    spmm_dtype_t dtype;
    struct test_product product;
    int by_pieces;
} cases[] = {
    {SPMM_F32, {.n = 128, .alpha = 1, .values = TEST_VALUES_REAL}, 1},
    {SPMM_F32, {.n = 130, .b_gap = 2, .c_gap = 6, .alpha = 0.5, .beta = -2, .values = TEST_VALUES_REAL}, 1},
    {SPMM_F32, {.n = 515, .shift = 1, .alpha = 1, .values = TEST_VALUES_INTEGER}, 1}, /* several launches */
    {SPMM_F32, {.n = 132, .c_layout = SPMM_COL_MAJOR, .alpha = 1, .beta = 1, .values = TEST_VALUES_REAL}, 1},
    {SPMM_F32, {.n = 16, .alpha = 1, .values = TEST_VALUES_REAL}, 0},
    {SPMM_F64, {.n = 66, .alpha = -1, .beta = 0.25, .values = TEST_VALUES_REAL}, 1},
    {SPMM_F64,
     {.n = 65,
      .b_layout = SPMM_COL_MAJOR,
      .c_layout = SPMM_COL_MAJOR,
      .alpha = 1,
      .values = TEST_VALUES_REAL},
     1},
    {SPMM_F16, {.n = 264, .alpha = 1, .beta = 1, .values = TEST_VALUES_REAL}, 1},
    {SPMM_F16, {.n = 258, .b_gap = 1, .alpha = 1, .values = TEST_VALUES_REAL}, 1},
    {SPMM_BF16,
     {.n = 256,
      .b_layout = SPMM_COL_MAJOR,
      .c_layout = SPMM_COL_MAJOR,
      .alpha = 1,
      .beta = 1,
      .values = TEST_VALUES_REAL},
     1},
    {SPMM_F32, {.n = 128, .alpha = 0, .beta = 3, .values = TEST_VALUES_REAL}, 1},
};

static struct test_cuda_pair pair_make(const struct test_matrix *a, spmm_dtype_t dtype)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    return test_cuda_pair_make(test_plan_build(a, options), NULL);
}

static void products_meet_the_error_bound(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_matrix *a = test_matrix_of(&pattern, cases[i].product.values);
        struct test_cuda_pair pair = pair_make(a, cases[i].dtype);
        if (uses_pieces(pair.gpu, a, cases[i].dtype, &cases[i].product) != cases[i].by_pieces)
            fail_msg("case %zu: pieces were expected: %d", i, cases[i].by_pieces);
        test_cuda_product_check(pair.gpu, pair.cpu, a, cases[i].dtype, &cases[i].product);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

static void bits_repeat(void **state)
{
    (void)state;
    const struct test_product product = {.n = 128, .alpha = 1, .values = TEST_VALUES_REAL};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    struct test_cuda_pair pair = pair_make(a, SPMM_F32);
    test_cuda_product_repeat(pair.gpu, a, SPMM_F32, &product, 3);
    test_cuda_product_graph(pair.gpu, a, SPMM_F32, &product, 3);
    test_cuda_product_canary(pair.gpu, a, SPMM_F32, &product, 20000 - 1);
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* New values of A are put in the order of the pieces. */
static void new_values_are_taken(void **state)
{
    (void)state;
    const struct test_product product = {.n = 128, .alpha = 1, .values = TEST_VALUES_INTEGER};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_INTEGER);
    struct test_cuda_pair pair = pair_make(a, SPMM_F32);
    for (int64_t i = 0; i < a->nnz; i++)
        a->values[i] = test_integer((uint64_t)i, 99);
    void *values = test_values_of(a, SPMM_F32);
    assert_int_equal(spmm_executor_set_values(pair.gpu, values, NULL, NULL), SPMM_OK);
    test_cuda_product_check(pair.gpu, NULL, a, SPMM_F32, &product);
    free(values);
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* The executor makes no pieces if no product that the options allow is wide enough for them. */
static void narrow_products_need_no_pieces(void **state)
{
    static const int64_t most[] = {0, 128, 32};
    const struct test_plan_options of = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, of);
    uint64_t bytes[3] = {0};
    (void)state;
    for (int i = 0; i < 3; i++) {
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        options.n_max = most[i];
        assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, &bytes[i], NULL), SPMM_OK);
    }
    assert_int_equal(bytes[1], bytes[0]);
    assert_true(bytes[2] + 8 * (uint64_t)a->nnz < bytes[0]);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void damaged_run(const struct test_matrix *a, int table, enum test_damage damage)
{
    const struct test_product product = {.n = 128, .alpha = 1, .beta = 1, .values = TEST_VALUES_INTEGER};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    test_table_run_damaged(plan, a, &product, table, damage);
    spmm_plan_destroy(plan);
}

/* Results may be wrong, but guards stay unchanged and no access leaves the arrays (docs/decisions/0037). */
static void damaged_tables_keep_kernels_inside(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_INTEGER);
    struct test_tables tables;
    test_tables_note(&tables);
    struct test_cuda_pair pair = pair_make(a, SPMM_F32);
    test_tables_note(NULL);
    test_cuda_pair_free(&pair);
    int own = 0;
    for (int i = 0; i < tables.count; i++) {
        const char *name = tables.list[i].name;
        const int is_own = strcmp(name, "targets") == 0 || strcmp(name, "new_values->map") == 0 ||
                           strcmp(name, "to->first") == 0 || strcmp(name, "to->row") == 0;
        own += is_own;
        for (int damage = 0; damage < TEST_DAMAGES; damage++)
            if (is_own || damage == TEST_DAMAGE_RANDOM)
                damaged_run(a, i, (enum test_damage)damage);
    }
    assert_int_equal(own, 4);
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_meet_the_error_bound),
        cmocka_unit_test(bits_repeat),
        cmocka_unit_test(new_values_are_taken),
        cmocka_unit_test(narrow_products_need_no_pieces),
        cmocka_unit_test(damaged_tables_keep_kernels_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
