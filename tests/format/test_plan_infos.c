/* SPDX-License-Identifier: Apache-2.0 */
/* Infos and metrics of a plan: their values, for callers with structs of any size, and the valid indices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/support/plan_seal.h"

static spmm_plan_t *make_plan(void)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "source");
    test_matrix_free(a);
    return plan;
}

static void metrics_of_row_blocks_are_reported(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_row_block_metrics_t stats = {.struct_size = sizeof stats, .block_rows = 5};
    assert_int_equal(spmm_plan_row_block_metrics(plan, &stats), SPMM_OK);
    assert_int_equal(stats.block_rows, 0);
    plan->row_block_metrics.block_rows = 64;
    assert_int_equal(spmm_plan_row_block_metrics(plan, &stats), SPMM_OK);
    assert_int_equal(stats.block_rows, 64);
    assert_int_equal(spmm_plan_row_block_metrics(NULL, &stats), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_row_block_metrics(plan, NULL), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

static void types_are_reported(void **state)
{
    static const struct {
        spmm_dtype_t dtype, sums;
    } cases[] = {{SPMM_F32, SPMM_F32}, {SPMM_F64, SPMM_F64}, {SPMM_F16, SPMM_F32}, {SPMM_BF16, SPMM_F32}};
    (void)state;
    spmm_plan_t *plan = make_plan();
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        spmm_plan_info_t info = {.struct_size = sizeof info};
        plan->dtype = cases[c].dtype;
        assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
        assert_int_equal(info.a_type, cases[c].dtype);
        assert_int_equal(info.b_type, cases[c].dtype);
        assert_int_equal(info.c_type, cases[c].dtype);
        assert_int_equal(info.sum_type, cases[c].sums);
    }
    spmm_plan_destroy(plan);
}

static void statistics_have_a_function_of_their_own(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_matrix_stats_t stats = {.struct_size = sizeof stats};
    assert_int_equal(spmm_plan_matrix_stats(plan, &stats), SPMM_OK);
    assert_int_equal(stats.struct_size, sizeof stats);
    assert_int_equal(stats.row_max, plan->stats.row_max);
    assert_memory_equal(stats.row_histogram, plan->stats.row_histogram, sizeof stats.row_histogram);
    stats.struct_size = offsetof(spmm_matrix_stats_t, zeros);
    stats.zeros = -7;
    assert_int_equal(spmm_plan_matrix_stats(plan, &stats), SPMM_OK);
    assert_int_equal(stats.zeros, -7); /* beyond the caller's struct_size */
    assert_int_equal(spmm_plan_matrix_stats(NULL, &stats), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_matrix_stats(plan, NULL), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

static void metrics_of_permutations_are_reported(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_permutation_metrics_t metrics = {.struct_size = sizeof metrics};
    assert_int_equal(spmm_plan_permutation_metrics(plan, 0, &metrics), SPMM_ERR_ARGUMENT);
    test_plan_permutation_metrics(plan);
    assert_int_equal(spmm_plan_permutation_metrics(plan, 1, &metrics), SPMM_OK);
    assert_int_equal(metrics.struct_size, sizeof metrics);
    assert_int_equal(metrics.kind, SPMM_REORDER_MINHASH);
    assert_int_equal(metrics.units, plan->rows);
    assert_int_equal(metrics.block_count[SPMM_BLOCKS_16X16], plan->nnz - 3);
    assert_true(metrics.block_mean[SPMM_BLOCKS_16X8] == 2.5);
    assert_true(metrics.seconds == 0 && metrics.is_identity == 0);
    assert_int_equal(spmm_plan_permutation_metrics(plan, 1, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_permutation_metrics(plan, 2, &metrics), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

static void indices_out_of_range_are_refused(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_plan_info_t info = {.struct_size = offsetof(spmm_plan_info_t, variant_count)};
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    spmm_part_info_t part = {.struct_size = sizeof part};
    spmm_trace_info_t trace = {.struct_size = sizeof trace};
    spmm_section_info_t section = {.struct_size = sizeof section};
    info.variant_count = -7;
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_int_equal(info.rows, 100);
    assert_int_equal(info.variant_count, -7); /* beyond the caller's struct_size */
    info.struct_size = 0;
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_ERR_ARGUMENT);
    for (int index = -1; index <= 1; index++) {
        const spmm_status_t expected = index == 0 ? SPMM_OK : SPMM_ERR_ARGUMENT;
        assert_int_equal(spmm_plan_variant(plan, index, &variant), expected);
        assert_int_equal(spmm_plan_part(plan, index, &part), expected);
        assert_int_equal(spmm_plan_trace(plan, index, &trace), expected);
        assert_int_equal(spmm_plan_section(plan, index, &section),
                         SPMM_ERR_ARGUMENT); /* a new plan has no sections */
    }
    assert_string_equal(trace.reason, "4.25 nonzeros per row on average, the schedules are equal at 9.35");
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_of_row_blocks_are_reported),
        cmocka_unit_test(types_are_reported),
        cmocka_unit_test(statistics_have_a_function_of_their_own),
        cmocka_unit_test(metrics_of_permutations_are_reported),
        cmocka_unit_test(indices_out_of_range_are_refused),
    };
    return cmocka_run_group_tests_name("plan_infos", tests, NULL, NULL);
}
