/* SPDX-License-Identifier: Apache-2.0 */
/* Products of one column by blocks with lists of columns: compared with the reference and the CPU, with guard
 * bands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "executor/cuda/cuda_backend.h"
#include "executor/executor_state.h"
#include "hostile_tables.h"
#include "tests/support/plan_build.h"

#define GATHERED "cuda/rows/nonzero-split/v1l1gathered"

/* Small matrices have blocks of at most 8,192 nonzeros and 4,096 rows. */
TEST_PATTERN(long_rows, i == 1 || i == 2 || i == 38 || (i % 5 != 0 && (j + 7 * i) % 251 == 0))
TEST_PATTERN(short_rows, i % 3 != 1 && (j == i * 7 % cols || (i % 11 == 0 && j % 4 == 0)))
TEST_PATTERN(middle_rows, j % (3 + i % 17) == 0)
TEST_PATTERN(one_row, j % 3 != 0)
static const struct test_pattern patterns[] = {{"long rows", 40, 17001, long_rows},
                                               {"short rows", 14001, 61, short_rows},
                                               {"middle rows", 83, 1203, middle_rows},
                                               {"one row", 1, 30000, one_row}};
#define PATTERNS 4

static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};

static spmm_plan_t *plan_of(const struct test_matrix *a, spmm_dtype_t dtype, int has_transpose)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_NONZERO_SPLIT, 8, has_transpose, 0};
    return test_plan_build(a, options);
}

static void assert_kernel(const spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                          const struct test_product *product, const char *expected)
{
    const spmm_executor_info_t info = test_cuda_product_info(executor, a, dtype, product);
    assert_non_null(strstr(info.kernel, expected));
}

/* Checks products with varying ops, layouts, gaps and factors. */
static void products_check(const struct test_matrix *a, spmm_dtype_t dtype)
{
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtype, 1), GATHERED);
    for (int i = 0; i < 2 * TEST_CUDA_FACTORS; i++) {
        const struct test_product product = {.op = i < TEST_CUDA_FACTORS ? SPMM_OP_N : SPMM_OP_T,
                                             .n = 1,
                                             .b_layout = (spmm_layout_t)(i % 2),
                                             .c_layout = (spmm_layout_t)(i / 2 % 2),
                                             .b_gap = i % 3,
                                             .c_gap = i % 4,
                                             .shift = i % 2,
                                             .alpha = test_cuda_factors[i % TEST_CUDA_FACTORS].alpha,
                                             .beta = test_cuda_factors[i % TEST_CUDA_FACTORS].beta,
                                             .values = TEST_VALUES_REAL};
        assert_kernel(pair.gpu, a, dtype, &product, GATHERED);
        test_cuda_product_check(pair.gpu, pair.cpu, a, dtype, &product);
    }
    test_cuda_pair_free(&pair);
}

static void products_meet_the_error_bound(void **state)
{
    (void)state;
    for (int p = 0; p < 4 * PATTERNS; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p / 4], TEST_VALUES_REAL);
        products_check(a, dtypes[p % 4]);
        test_matrix_free(a);
    }
}

static void small_matrices_meet_the_error_bound(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
        if (a->nnz > 1 && a->nnz < 200000) /* with one nonzero, all values are equal */
            products_check(a, dtypes[m % 4]);
        test_matrix_free(a);
    }
}

/* Other widths, and types that differ, run other kernels. */
static void other_products_take_the_rows(void **state)
{
    (void)state;
    const struct test_product wide = {.n = 4, .alpha = 1, .values = TEST_VALUES_REAL};
    const struct test_product one = {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL};
    const spmm_types_info_t types = {
        .a_type = SPMM_F16, .b_type = SPMM_F16, .c_type = SPMM_F32, .sum_type = SPMM_F32};
    struct test_matrix *a = test_matrix_of(&patterns[2], TEST_VALUES_REAL);
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, SPMM_F16, 0), GATHERED);
    assert_kernel(pair.gpu, a, SPMM_F16, &wide, "staged");
    test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F16, &wide);
    test_cuda_product_check_types(pair.gpu, pair.cpu, a, &types, &one);
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* With alpha = 0 A is not read, and the rows scale C. spmm_executor_info has no alpha, so the name is that of
 * the product itself. */
static void other_factors_name_the_kernel_that_runs(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[2], TEST_VALUES_REAL);
    struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, SPMM_F32, 0), GATHERED);
    for (int i = 0; i < TEST_CUDA_FACTORS; i++) {
        const struct test_product product = {.n = 1,
                                             .alpha = test_cuda_factors[i].alpha,
                                             .beta = test_cuda_factors[i].beta,
                                             .values = TEST_VALUES_REAL};
        struct test_dense b = test_product_b(a, SPMM_F32, &product),
                          c = test_product_c(a, SPMM_F32, &product);
        struct spmmi_choice choice;
        char name[64];
        assert_int_equal(spmmi_product_check(pair.gpu, SPMM_OP_N, &b.view, &c.view, &choice, NULL), SPMM_OK);
        struct spmmi_product one = spmmi_product_of(pair.gpu, &choice, SPMM_OP_N, &b.view, &c.view);
        one.alpha = product.alpha;
        spmmi_cuda_kernel(pair.gpu->cuda, choice.variant, &one, name, sizeof name);
        assert_string_equal(name, product.alpha != 0 ? GATHERED : "cuda/rows/nonzero-split/v1l1staged");
        test_cuda_product_check(pair.gpu, pair.cpu, a, SPMM_F32, &product);
        test_dense_free(&c);
        test_dense_free(&b);
    }
    test_cuda_pair_free(&pair);
    test_matrix_free(a);
}

/* Padding is not multiplied: a non-finite value of B reaches only the rows that store its column. */
static void bits_repeat_and_nan_stays_in_its_rows(void **state)
{
    (void)state;
    const struct test_product product = {.n = 1, .alpha = 1, .values = TEST_VALUES_REAL};
    for (int p = 0; p < PATTERNS; p++) {
        const spmm_dtype_t dtype = dtypes[p % 4];
        struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_REAL);
        struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtype, 0), GATHERED);
        test_cuda_product_repeat(pair.gpu, a, dtype, &product, 3);
        test_cuda_product_graph(pair.gpu, a, dtype, &product, 3);
        test_cuda_product_canary(pair.gpu, a, dtype, &product, 0);
        test_cuda_product_canary(pair.gpu, a, dtype, &product, a->col_ind[a->nnz / 2]);
        test_cuda_product_canary(pair.gpu, a, dtype, &product, a->col_ind[a->nnz - 1]);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

static void new_values_are_taken(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * PATTERNS; i++) {
        const struct test_product product = {
            .op = i % 2 == 0 ? SPMM_OP_N : SPMM_OP_T, .n = 1, .alpha = 1, .values = TEST_VALUES_INTEGER};
        struct test_matrix *a = test_matrix_of(&patterns[i / 2], TEST_VALUES_INTEGER);
        const spmm_dtype_t dtype = dtypes[i / 2 % 2]; /* sums are exact in f32 and f64 */
        struct test_cuda_pair pair = test_cuda_pair_make(plan_of(a, dtype, 1), GATHERED);
        for (int64_t q = 0; q < a->nnz; q++)
            a->values[q] = test_integer((uint64_t)q, 99);
        void *values = test_values_of(a, dtype);
        assert_int_equal(spmm_executor_set_values(pair.gpu, values, NULL, NULL), SPMM_OK);
        test_cuda_product_check(pair.gpu, NULL, a, dtype, &product);
        free(values);
        test_cuda_pair_free(&pair);
        test_matrix_free(a);
    }
}

/* The rule: at least 2^19 nonzeros (f64: 2^20), lists of at most 0.8 columns per nonzero, and a quarter of the
 * nonzeros in another group of 8 columns than the nonzero before. */
TEST_PATTERN(quarter_full, (j + i) % 4 == 0)
TEST_PATTERN(neighbours, (j + i) % 64 != 0)
TEST_PATTERN(columns_once, j / 1024 == i % 8 && (j + i) % 64 != 0)
static const struct test_pattern large[] = {{"quarter full", 2048, 1024, quarter_full},
                                            {"neighbours", 600, 1024, neighbours},
                                            {"columns once", 600, 8192, columns_once}};

static spmm_executor_t *executor_of(const spmm_plan_t *plan, const char *kernel, uint64_t budget,
                                    uint64_t *bytes)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    uint64_t counted = 0;
    options.device_budget_bytes = budget;
    options.force_kernel = kernel;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_memory_bytes(plan, 0, &options, NULL, &counted, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
    assert_int_equal(info.device_bytes, counted);
    *bytes = counted;
    return executor;
}

static void default_check(const struct test_pattern *pattern, spmm_dtype_t dtype, int is_gathered)
{
    const struct test_product product = {.n = 1, .alpha = 1, .beta = 1, .values = TEST_VALUES_REAL};
    uint64_t bytes = 0, staged_bytes = 0, named_bytes = 0;
    struct test_matrix *a = test_matrix_of(pattern, TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, dtype, 0);
    spmm_executor_t *executor = executor_of(plan, NULL, 0, &bytes);
    assert_kernel(executor, a, dtype, &product, is_gathered ? GATHERED : "staged");
    test_cuda_product_check(executor, NULL, a, dtype, &product);
    spmm_executor_destroy(executor);
    executor = executor_of(plan, "cuda/rows/nonzero-split/v1l1staged", 0, &staged_bytes);
    assert_kernel(executor, a, dtype, &product, "staged");
    spmm_executor_destroy(executor);
    spmm_executor_destroy(executor_of(plan, GATHERED, 0, &named_bytes));
    assert_int_equal(bytes, is_gathered ? named_bytes : staged_bytes);
    assert_true(named_bytes >= staged_bytes + (uint64_t)a->nnz * (2 + spmm_dtype_size(dtype)));
    /* A budget that only the rows fit: the second arrangement is left out. */
    executor = executor_of(plan, NULL, staged_bytes + 4 * (uint64_t)a->nnz, &bytes);
    assert_kernel(executor, a, dtype, &product, "staged");
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void the_rule_is_kept(void **state)
{
    (void)state;
    default_check(&large[0], SPMM_F32, 1);
    default_check(&large[0], SPMM_F64, 0);
    default_check(&large[1], SPMM_F32, 0);
    default_check(&large[2], SPMM_F16, 0);
}

/* A forced kernel is refused if all values are equal. */
static void names_for_equal_values_are_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_of(&patterns[2], TEST_VALUES_REAL);
    for (int64_t q = 0; q < a->nnz; q++)
        a->values[q] = 0.5;
    spmm_plan_t *plan = plan_of(a, SPMM_F32, 0);
    const spmm_executor_options_t options = {.struct_size = sizeof options, .force_kernel = GATHERED};
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, &diag), SPMM_ERR_UNSUPPORTED);
    assert_non_null(strstr(diag.text, "all values of A are equal"));
    assert_null(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void damaged_run(const struct test_matrix *a, const spmm_plan_t *plan, int table,
                        enum test_damage damage)
{
    const struct test_product product = {.n = 1, .alpha = 1, .beta = 1, .values = TEST_VALUES_INTEGER};
    struct test_tables tables;
    spmm_executor_t *executor = test_hostile_executor(plan, GATHERED, &tables);
    struct test_dense b = test_product_b(a, SPMM_F32, &product), c = test_product_c(a, SPMM_F32, &product);
    void *values = test_values_of(a, SPMM_F32);
    for (uint32_t field = 0; field < tables.list[table].fields; field++)
        test_table_damage(&tables.list[table], field, damage);
    assert_int_equal(spmm_executor_set_values(executor, values, NULL, NULL), SPMM_OK);
    test_cuda_product_run(executor, &product, &b, &c);
    free(values);
    test_dense_free(&c);
    test_dense_free(&b);
    spmm_executor_destroy(executor);
}

/* Results may be wrong, but guards stay unchanged and no access leaves the arrays (docs/decisions/0037). */
static void damaged_tables_keep_kernels_inside(void **state)
{
    static const char *const of_blocks[] = {"to->local", "to->list", "to->first_rank", "to->blocks",
                                            "to->starts"};
    (void)state;
    for (int p = 0; p < 2; p++) {
        struct test_matrix *a = test_matrix_of(&patterns[p], TEST_VALUES_INTEGER);
        spmm_plan_t *plan = plan_of(a, SPMM_F32, 0);
        struct test_tables tables;
        int own = 0;
        spmm_executor_destroy(test_hostile_executor(plan, GATHERED, &tables));
        for (int i = 0; i < tables.count; i++)
            for (size_t k = 0; k < sizeof of_blocks / sizeof *of_blocks; k++) {
                if (strcmp(tables.list[i].name, of_blocks[k]) != 0)
                    continue;
                own++;
                for (int damage = 0; damage < TEST_DAMAGES; damage++)
                    damaged_run(a, plan, i, (enum test_damage)damage);
            }
        assert_int_equal(own, 5);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

int main(int argc, char **argv)
{
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_meet_the_error_bound),
        cmocka_unit_test(small_matrices_meet_the_error_bound),
        cmocka_unit_test(other_products_take_the_rows),
        cmocka_unit_test(other_factors_name_the_kernel_that_runs),
        cmocka_unit_test(bits_repeat_and_nan_stays_in_its_rows),
        cmocka_unit_test(new_values_are_taken),
        cmocka_unit_test(the_rule_is_kept),
        cmocka_unit_test(names_for_equal_values_are_refused),
        cmocka_unit_test(damaged_tables_keep_kernels_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
