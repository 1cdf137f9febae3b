/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the metrics of tiled schedules: counted by hand, counted by their definitions, equal for any number
 * of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/matrix/units.h"
#include "inspector/matrix/matrix.h"
#include "row_block_literal.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define ROWS_MAX 64

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* ---- Counted by hand ---- */

/* Returns row blocks of 32 units with stages of 32 columns, f32, R = 2 and n = 5 (3 passes of R columns), for
 * 12 multiprocessors. */
static struct spmmi_row_block_input small_input(int64_t cols, uint64_t units, const int64_t *unit_ptr,
                                                const int32_t *col_ind)
{
    return (struct spmmi_row_block_input){.cols = cols,
                                          .units = units,
                                          .unit_ptr = unit_ptr,
                                          .col_ind = col_ind,
                                          .block_rows = 32,
                                          .stage_slots = 32,
                                          .value_bytes = 4,
                                          .register_tile = 2,
                                          .n = 5,
                                          .multiprocessors = 12,
                                          .threads = 1};
}

static spmm_row_block_metrics_t metrics_of(const struct spmmi_row_block_input *in)
{
    spmm_row_block_metrics_t stats;
    assert_int_equal(spmmi_row_block_metrics(in, &stats), SPMM_OK);
    return stats;
}

/* The rows hold columns {0, 1} and {1, 2}. */
static void two_rows_that_share_a_column(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 2, 4};
    const int32_t col_ind[] = {0, 1, 1, 2};
    const struct spmmi_row_block_input in = small_input(4, 2, unit_ptr, col_ind);
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.units, 2);
    assert_int_equal(s.row_blocks, 1);
    assert_int_equal(s.thread_blocks, 3); /* 1 row block, for columns 0-1, 2-3 and 4 of B */
    assert_near(s.utilization, 3.0 / 12);
    assert_near(s.unit_mean, 2);
    assert_near(s.unit_stddev, 0);
    assert_int_equal(s.working_set_sum, 3); /* columns 0, 1, 2 */
    assert_near(s.rho, 4.0 / 3);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++)
        assert_int_equal(s.working_set[h], 3);
    assert_int_equal(s.stages, 1);
    assert_int_equal(s.slices, 2); /* the longer row of the only warp has 2 entries */
    assert_near(s.padding, 64.0 / 4);
    assert_int_equal(s.runs, 1);
    assert_near(s.run_mean, 3);
    assert_int_equal(s.lines, 1);
    assert_near(s.line_cost, 64.0 / (3 * 4)); /* one line is loaded for 3 values */
    assert_near(s.sector_cost, 32.0 / (3 * 4));
    assert_int_equal(s.columns_used, 3); /* column 3 is empty */
    assert_near(s.l2_reuse, 1);
    assert_near(s.line_gamma, 64.0 / 12);
    assert_int_equal(s.column_count[0], 2); /* columns 0 and 2 have 1 nonzero */
    assert_int_equal(s.column_sum[0], 2);
    assert_int_equal(s.column_count[1], 1); /* column 1 has 2 nonzeros */
    assert_int_equal(s.column_sum[1], 2);
}

/* A row of 70 columns needs more than two stages of 32 columns: ceil(70 / 32) = 3 stages of ceil(70 / 3) =
 * 24, 24 and 22 columns. */
static void a_row_of_three_stages(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 70};
    int32_t col_ind[70];
    for (int32_t c = 0; c < 70; c++)
        col_ind[c] = c;
    const struct spmmi_row_block_input in = small_input(70, 1, unit_ptr, col_ind);
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.stages, 3);
    assert_int_equal(s.stages_max, 3);
    assert_int_equal(s.working_set_max, 70);
    assert_int_equal(s.slices, 24 + 24 + 22);
    assert_near(s.padding, 32);
    assert_int_equal(s.runs, 3);            /* a run ends with its stage */
    assert_int_equal(s.lines, 2 + 2 + 2);   /* lines of 16 columns: 0-1, 1-2, 3-4 */
    assert_int_equal(s.sectors, 3 + 3 + 3); /* sectors of 8 columns: 0-2, 3-5, 6-8 */
    assert_near(s.line_cost, 6 * 64 / (70 * 4.0));
    assert_near(s.sector_cost, 9 * 32 / (70 * 4.0));
}

/* In f64, columns 0, 8, 16 and 24 each have a line of their own; columns 32 and 33 share one. */
static void scattered_columns_cost_a_line_each(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 6};
    const int32_t col_ind[] = {0, 8, 16, 24, 32, 33};
    struct spmmi_row_block_input in = small_input(40, 1, unit_ptr, col_ind);
    in.value_bytes = 8;
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.lines, 5);
    assert_near(s.line_cost, 5 * 64 / (6 * 8.0));
    assert_near(s.sector_cost, 5 * 32 / (6 * 8.0));
    assert_int_equal(s.runs, 5);
    assert_near(s.run_mean, 6.0 / 5);
}

/* Columns 15, 16, 17 of f32: the run starts at the end of a line and of a sector. */
static void a_misaligned_run_counts_the_lines_at_both_ends(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 3};
    const int32_t col_ind[] = {15, 16, 17};
    const struct spmmi_row_block_input in = small_input(40, 1, unit_ptr, col_ind);
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.lines, 2);
    assert_int_equal(s.sectors, 2);
    assert_near(s.line_cost, 2 * 64 / (3 * 4.0));
}

/* 32 consecutive values of f32, starting at a multiple of 64 bytes. */
static void a_coalesced_load_costs_one(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 32};
    int32_t col_ind[32];
    for (int32_t c = 0; c < 32; c++)
        col_ind[c] = 16 + c;
    const struct spmmi_row_block_input in = small_input(48, 1, unit_ptr, col_ind);
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_near(s.line_cost, 1);
    assert_near(s.sector_cost, 1);
    assert_near(s.line_gamma, 1);
}

/* 64 rows of one nonzero, alternately in columns 0 and 1. The permutation puts the even rows first. */
static void a_permutation_that_gathers_equal_rows(void **state)
{
    (void)state;
    int64_t unit_ptr[ROWS_MAX + 1];
    int32_t col_ind[ROWS_MAX];
    uint32_t permutation[ROWS_MAX];
    for (int32_t i = 0; i <= ROWS_MAX; i++)
        unit_ptr[i] = i;
    for (int32_t i = 0; i < ROWS_MAX; i++) {
        col_ind[i] = i % 2;
        permutation[i] = (uint32_t)(i < 32 ? 2 * i : 2 * (i - 32) + 1);
    }
    struct spmmi_row_block_input in = small_input(2, ROWS_MAX, unit_ptr, col_ind);
    const spmm_row_block_metrics_t before = metrics_of(&in);
    const int64_t working_set_before[] = {8 * 2, 4 * 2, 2 * 2, 2, 2, 2};
    assert_memory_equal(before.working_set, working_set_before, sizeof working_set_before);
    assert_near(before.reuse[0], 64.0 / 16);
    assert_int_equal(before.working_set_sum, 4);
    assert_near(before.working_set_mean, 2);
    assert_near(before.rho, 16);
    assert_near(before.l2_reuse, 2);                   /* both row blocks load both columns */
    assert_near(before.line_cost, 2 * 64 / (4 * 4.0)); /* one line per row block */
    assert_near(before.line_gamma, 8.0 / 2);
    assert_near(before.padding, 1); /* 2 slices of 32 entries for 64 nonzeros */
    assert_int_equal(before.is_reordered, 0);

    in.permutation = permutation;
    const spmm_row_block_metrics_t after = metrics_of(&in);
    const int64_t working_set_after[] = {8, 4, 2, 2, 2, 2};
    assert_memory_equal(after.working_set, working_set_after, sizeof working_set_after);
    assert_near(after.rho, 32);
    assert_near(after.l2_reuse, 1);
    assert_int_equal(after.is_reordered, 1);
}

/* Rows of 5, 0 and 1 nonzeros in segments of 2 make units of 2, 2, 1, 0 and 1 nonzeros. */
static void segments_of_rows_are_units(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 5, 5, 6}, expected[] = {0, 2, 4, 5, 5, 6};
    const int32_t col_ind[] = {0, 1, 2, 3, 4, 0};
    int64_t unit_ptr[6];
    assert_int_equal(spmmi_units_count(3, row_ptr, 2), 5);
    spmmi_units_cut(3, row_ptr, 2, unit_ptr, NULL);
    assert_memory_equal(unit_ptr, expected, sizeof expected);
    struct spmmi_row_block_input in = small_input(5, 5, unit_ptr, col_ind);
    in.segment = 2;
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.segment, 2);
    assert_int_equal(s.units, 5);
    assert_near(s.unit_mean, 6.0 / 5);
    assert_near(s.unit_stddev, sqrt((4 + 4 + 1 + 0 + 1) / 5.0 - 1.44));
    assert_int_equal(s.unit_max, 2);
    assert_near(s.padding, 2 * 32 / 6.0);
}

/* A row block has two warps, whose longest rows have 3 and 1 nonzeros: 3 + 1 slices, not 3 + 3. */
static void padding_is_that_of_each_warp(void **state)
{
    (void)state;
    int64_t unit_ptr[ROWS_MAX + 1];
    const int32_t col_ind[] = {0, 1, 2, 2};
    for (int i = 0; i <= ROWS_MAX; i++)
        unit_ptr[i] = i == 0 ? 0 : i <= 40 ? 3 : 4;
    struct spmmi_row_block_input in = small_input(3, ROWS_MAX, unit_ptr, col_ind);
    in.block_rows = 64;
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.row_blocks, 1);
    assert_int_equal(s.slices, 4);
    assert_near(s.padding, 4 * 32 / 4.0);
}

static void nothing_gives_zeros(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 0};
    struct spmmi_row_block_input in = small_input(0, 0, unit_ptr, NULL);
    spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.row_blocks, 0);
    assert_int_equal(s.stages, 0);
    assert_near(s.rho, 0);
    assert_near(s.padding, 0);
    assert_near(s.line_gamma, 0);
    in.units = 1; /* one empty row: its row block writes C, but stages nothing */
    in.multiprocessors = 0;
    s = metrics_of(&in);
    assert_int_equal(s.row_blocks, 1);
    assert_int_equal(s.stages, 0);
    assert_int_equal(s.thread_blocks, 3);
    assert_near(s.utilization, 0);
}

/* The largest possible number of columns, of which three are used: 0, 5 and the last, which does not share a
 * line with 5. */
static void columns_beyond_counting_cost_no_array(void **state)
{
    (void)state;
    const int64_t unit_ptr[] = {0, 2, 4};
    const int32_t col_ind[] = {0, 5, 5, 2147483645};
    const struct spmmi_row_block_input in = small_input(SPMMI_DIM_MAX, 2, unit_ptr, col_ind);
    const spmm_row_block_metrics_t s = metrics_of(&in);
    assert_int_equal(s.working_set_sum, 3);
    assert_int_equal(s.columns_used, 3);
    assert_int_equal(s.runs, 3);
    assert_int_equal(s.lines, 2);
    assert_int_equal(s.working_set[0], 3);
}

/* ---- Counted by definition ---- */

static const char *const specs[] = {
    "gen:fem3:4:4:5",
    "gen:femshuf:4:4:5",
    "gen:band:700:9",
    "gen:rand:500:5",
    "gen:rmat:9:9",
    "gen:dense:37:90",
    "gen:dense:3:900",
    "gen:diag:300",
    "gen:arrow:600",
    "gen:empty:50:60",
    "gen:empty:0:60",
    "gen:empty:60:0",
    "gen:empty:0:0",
    "gen:dense:1:1000",
    "gen:dense:400:1",
    "gen:lap27:7",
    "gen:qcd:2",
    "gen:block:256:16:3",
    "gen:powerlaw:600:700:9",
    "gen:powerlaw:3:100000:60", /* too many columns for an array of counts */
};

/* Both structs hold only 8-byte numbers. The standard deviation is computed in two ways, so it may differ
 * slightly. */
static void assert_same(const spmm_row_block_metrics_t *found, const spmm_row_block_metrics_t *expected)
{
    spmm_row_block_metrics_t copy = *found;
    assert_near(found->unit_stddev, expected->unit_stddev);
    copy.unit_stddev = expected->unit_stddev;
    assert_memory_equal(&copy, expected, sizeof copy);
}

static void agrees_with_the_definitions(void **state)
{
    static const uint32_t block_rows[] = {32, 64, 128, 256}, stage_slots[] = {32, 100, 447};
    static const uint32_t segments[] = {0, 1, 7}, value_bytes[] = {2, 4, 8};
    spmm_matrix_t *m = row_block_matrix(*state);
    for (uint32_t c = 0; c < 24; c++) {
        struct spmmi_row_block_input in = row_block_input_open(m, segments[c % COUNT(segments)], c % 2 == 1);
        in.block_rows = block_rows[c / 2 % COUNT(block_rows)];
        in.stage_slots = stage_slots[c / 3 % COUNT(stage_slots)];
        in.value_bytes = value_bytes[c / 5 % COUNT(value_bytes)];
        in.register_tile = 1u << c % 6;
        in.multiprocessors = (int)c;
        spmm_row_block_metrics_t found, expected;
        assert_int_equal(spmmi_row_block_metrics(&in, &found), SPMM_OK);
        row_block_literal(&in, &expected);
        assert_same(&found, &expected);
        row_block_input_close(&in);
    }
    spmm_matrix_destroy(m);
}

/* ---- Threads and memory ---- */

static void threads_change_nothing(void **state)
{
    static const char *const large[] = {"gen:rmat:12:40", "gen:femshuf:9:9:9", "gen:powerlaw:20000:5000:10"};
    static const int threads[] = {2, 3, 8};
    (void)state;
    for (size_t i = 0; i < COUNT(large); i++) {
        spmm_matrix_t *m = row_block_matrix(large[i]);
        assert_true(m->nnz > 100000);
        struct spmmi_row_block_input in = row_block_input_open(m, i == 1 ? 20 : 0, i == 2);
        in.block_rows = 64;
        in.stage_slots = 447;
        in.value_bytes = 4;
        in.register_tile = 8;
        in.multiprocessors = 132;
        const spmm_row_block_metrics_t one = metrics_of(&in);
        for (size_t t = 0; t < COUNT(threads); t++) {
            in.threads = threads[t];
            const spmm_row_block_metrics_t many = metrics_of(&in);
            assert_memory_equal(&many, &one, sizeof one);
        }
        row_block_input_close(&in);
        spmm_matrix_destroy(m);
    }
}

static void says_when_memory_is_short(void **state)
{
    static const char *const both[] = {"gen:rand:300:5", "gen:powerlaw:3:100000:60"};
    (void)state;
    for (size_t i = 0; i < COUNT(both); i++) {
        spmm_matrix_t *m = row_block_matrix(both[i]);
        struct spmmi_row_block_input in = row_block_input_open(m, 0, false);
        spmm_row_block_metrics_t stats;
        in.block_rows = in.stage_slots = 32;
        in.value_bytes = in.register_tile = 4;
        const int64_t live = spmmi_alloc_live();
        int64_t k = 0;
        spmm_status_t status = SPMM_ERR_MEMORY;
        for (; status != SPMM_OK; k++) {
            spmmi_alloc_fail_at(k, 0);
            status = spmmi_row_block_metrics(&in, &stats);
            assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        spmmi_alloc_fail_at(-1, 0);
        assert_true(k > 4);
        row_block_input_close(&in);
        spmm_matrix_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(two_rows_that_share_a_column),
        cmocka_unit_test(a_row_of_three_stages),
        cmocka_unit_test(scattered_columns_cost_a_line_each),
        cmocka_unit_test(a_misaligned_run_counts_the_lines_at_both_ends),
        cmocka_unit_test(a_coalesced_load_costs_one),
        cmocka_unit_test(a_permutation_that_gathers_equal_rows),
        cmocka_unit_test(segments_of_rows_are_units),
        cmocka_unit_test(padding_is_that_of_each_warp),
        cmocka_unit_test(nothing_gives_zeros),
        cmocka_unit_test(columns_beyond_counting_cost_no_array),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(says_when_memory_is_short),
    };
    struct CMUnitTest tests[COUNT(fixed) + COUNT(specs)];
    memcpy(tests, fixed, sizeof fixed);
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[COUNT(fixed) + i] = (struct CMUnitTest){specs[i], agrees_with_the_definitions, NULL, NULL,
                                                      (void *)(uintptr_t)specs[i]};
    return cmocka_run_group_tests_name("panel_stats", tests, NULL, NULL);
}
