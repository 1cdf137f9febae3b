/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of a plan an executor on the CPU runs if no kernel is forced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executor/cpu/cpu_operand.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

static void assert_runs(const spmm_plan_t *plan, const struct test_matrix *a, int64_t n, const char *kernel)
{
    const struct test_product product = {.n = n, .alpha = 1, .values = TEST_VALUES_REAL};
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const spmm_dense_t b = {NULL, a->cols, n, n, SPMM_ROW_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, a->rows, n, n, SPMM_ROW_MAJOR, plan->dtype};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, kernel);
    test_product_check(executor, a, plan->dtype, &product);
    spmm_executor_destroy(executor);
}

/* Returns a plan whose variants of `first` are for n up to n_max, and whose variants of `other` are for
 * larger n. */
static spmm_plan_t *joined(const struct test_matrix *a, struct test_plan_options first,
                           struct test_plan_options other, int64_t n_max)
{
    spmm_plan_t *plan = test_plan_build(a, first);
    const uint32_t count = plan->variant_count;
    for (uint32_t i = 0; i < count; i++)
        plan->variants[i].n_max = n_max;
    test_plan_join(plan, test_plan_build(a, other));
    for (uint32_t i = count; i < plan->variant_count; i++)
        plan->variants[i].n_min = n_max + 1;
    return plan;
}

static void variants_for_the_cpu_run_their_own_part(void **state)
{
    (void)state;
    static const struct test_plan_options tiled = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    static const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = joined(a, tiled, rows, 8);
    assert_runs(plan, a, 4, "cpu/rows/row-split"); /* the plan is for GPUs */
    plan->variants[0].target = 1;
    assert_runs(plan, a, 4, "cpu/tiled/whole/p32");
    plan->variants[0].n_max = plan->variants[1].n_max;
    plan->variants[1].target = 90; /* products on the CPU no longer reach variant 1 */
    assert_runs(plan, a, 40, "cpu/tiled/whole/p32");
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A plan for GPUs has several parts of the first family. The CPU runs a part with whole rows, whatever its
 * index. */
static void whole_rows_come_before_parts_of_them(void **state)
{
    (void)state;
    static const struct test_plan_options tiled = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    static const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    static const struct test_plan_options nonzeros = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 0, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = joined(a, tiled, nonzeros, 8);
    test_plan_join(plan, test_plan_build(a, rows));
    test_plan_join(plan, test_plan_build(a, nonzeros));
    for (uint32_t i = 1; i < plan->variant_count; i++)
        plan->variants[i].n_min = 8 * i + 1, plan->variants[i].n_max = 8 * i + 8;
    assert_runs(plan, a, 4, "cpu/rows/row-split");
    plan->parts[2].op = SPMM_OP_T; /* removes the part with whole rows from this op */
    assert_runs(plan, a, 4, "cpu/rows/nonzero-split");
    plan->parts[0].flags |= SPMMI_PART_PERMUTES_OUTPUT; /* no other part permutes C */
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const spmm_dense_t b = {NULL, a->cols, 4, 4, SPMM_ROW_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, a->rows, 4, 4, SPMM_ROW_MAJOR, plan->dtype};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_non_null(strstr(info.kernel, "cpu/tiled/whole"));
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Variants of 16-bit types run their own part too. */
static void parts_of_f16_run_as_the_plan_says(void **state)
{
    (void)state;
    static const struct test_plan_options tiled = {SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    static const struct test_plan_options rows = {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = joined(a, rows, tiled, 8);
    assert_runs(plan, a, 4, "cpu/rows/row-split");
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Returns spmmi_is_scattered for a pattern in which the nonzeros of a row are `step` columns apart. Rows
 * begin near the diagonal, or anywhere if is_permuted is set. */
static bool is_scattered(int64_t rows, int64_t length, int64_t step, bool is_permuted)
{
    enum { NONZEROS_MAX = 1 << 18 };
    static int32_t col[NONZEROS_MAX];
    assert_true(rows * length <= NONZEROS_MAX);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < length; k++)
            col[i * length + k] =
                (int32_t)(((is_permuted ? i * 40507 : i) + k * step) % (rows + length * step));
    return spmmi_is_scattered(col, rows * length);
}

/* Few and many nonzeros. */
static void permutations_are_scattered_and_meshes_are_not(void **state)
{
    (void)state;
    static const int64_t rows[] = {40, 1000, 8000, 65536, 200000};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(is_scattered(rows[i], 1, 1, false)); /* reads each row of B once */
        assert_true(is_scattered(rows[i], 1, 1, true));
    }
    for (int64_t n = 1000; n <= 40000; n *= 5)
        assert_false(is_scattered(n, 5, 50, false)); /* a mesh */
    assert_true(is_scattered(8000, 3, 50, false));   /* every third nonzero reads a new row of B */
    assert_false(is_scattered(12000, 5, 1, false));  /* a band, fewer nonzeros than all pieces have */
    assert_false(is_scattered(0, 1, 1, false));
    assert_true(is_scattered(9, 1, 1, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutations_are_scattered_and_meshes_are_not),
        cmocka_unit_test(variants_for_the_cpu_run_their_own_part),
        cmocka_unit_test(whole_rows_come_before_parts_of_them),
        cmocka_unit_test(parts_of_f16_run_as_the_plan_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
