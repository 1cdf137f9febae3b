/* SPDX-License-Identifier: Apache-2.0 */
/* Checks metrics from a sample of row blocks: exact if the sample has all row blocks, otherwise close, and
 * equal for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "inspector/analysis/row_block_count.h"
#include "inspector/analysis/row_block_sample.h"
#include "inspector/analysis/row_block_widest.h"
#include "row_block_literal.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define ROW_BLOCKS_MAX 64

static const char *const specs[] = {
    "gen:fem3:9:9:20",  "gen:femshuf:12:12:12", "gen:band:9000:9",   "gen:rand:20000:5",
    "gen:rmat:13:16",   "gen:arrow:9000",       "gen:diag:9000",     "gen:powerlaw:20000:5000:10",
    "gen:empty:500:60", "gen:empty:0:60",       "gen:dense:40:3000", "gen:powerlaw:3:9000000:60",
};

static struct spmmi_row_block_input input_of(const spmm_matrix_t *m, uint32_t segment, bool is_shuffled)
{
    struct spmmi_row_block_input in = row_block_input_open(m, segment, is_shuffled);
    in.block_rows = 32;
    in.stage_slots = 100;
    in.value_bytes = 4;
    in.register_tile = 8;
    in.multiprocessors = 132;
    return in;
}

static spmm_row_block_metrics_t exact_of(const struct spmmi_row_block_input *in)
{
    spmm_row_block_metrics_t stats;
    assert_int_equal(spmmi_row_block_metrics(in, &stats), SPMM_OK);
    memset(stats.working_set, 0, sizeof stats.working_set);
    memset(stats.reuse, 0, sizeof stats.reuse);
    memset(stats.column_count, 0, sizeof stats.column_count);
    memset(stats.column_sum, 0, sizeof stats.column_sum);
    return stats;
}

static spmm_row_block_metrics_t estimate_of(const struct spmmi_row_block_input *in, int64_t columns_used,
                                            int64_t count_max)
{
    spmm_row_block_metrics_t stats;
    assert_int_equal(spmmi_row_block_estimate(in, columns_used, count_max, &stats), SPMM_OK);
    return stats;
}

static void a_sample_of_all_row_blocks_is_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        spmm_matrix_t *m = row_block_matrix(specs[i]);
        for (uint32_t c = 0; c < 4; c++) {
            struct spmmi_row_block_input in = input_of(m, c / 2 * 7, c % 2 == 1);
            const spmm_row_block_metrics_t exact = exact_of(&in);
            const spmm_row_block_metrics_t found = estimate_of(&in, exact.columns_used, exact.row_blocks);
            assert_memory_equal(&found, &exact, sizeof found);
            row_block_input_close(&in);
        }
        spmm_matrix_destroy(m);
    }
}

static void assert_share(const char *spec, const char *name, double found, double expected, double share)
{
    if (!(fabs(found - expected) <= share * expected))
        fail_msg("%s: %s %g, exact %g", spec, name, found, expected);
}

/* Every estimate is unbiased. Its error depends on how much row blocks with equally many nonzeros differ. */
static void a_sample_is_near(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        spmm_matrix_t *m = row_block_matrix(specs[i]);
        for (uint32_t c = 0; c < 4; c++) {
            struct spmmi_row_block_input in = input_of(m, c / 2 * 7, c % 2 == 1);
            const spmm_row_block_metrics_t exact = exact_of(&in);
            const spmm_row_block_metrics_t found = estimate_of(&in, exact.columns_used, ROW_BLOCKS_MAX);
            assert_share(specs[i], "working sets", (double)found.working_set_sum,
                         (double)exact.working_set_sum, .1);
            assert_share(specs[i], "stages", (double)found.stages, (double)exact.stages, .1);
            assert_share(specs[i], "slices", (double)found.slices, (double)exact.slices, .1);
            assert_share(specs[i], "sectors", (double)found.sectors, (double)exact.sectors, .1);
            assert_share(specs[i], "lines", (double)found.lines, (double)exact.lines, .1);
            assert_true(found.working_set_max <= exact.working_set_max &&
                        found.stages_max <= exact.stages_max);
            assert_int_equal(found.unit_max, exact.unit_max);
            assert_int_equal(found.row_blocks, exact.row_blocks);
            assert_int_equal(found.columns_used, exact.columns_used);
            row_block_input_close(&in);
        }
        spmm_matrix_destroy(m);
    }
}

/* The row block with the first row of an arrow needs every column. No other needs more than 33. */
static void the_row_block_with_most_nonzeros_is_looked_at(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:arrow:9000");
    struct spmmi_row_block_input in = input_of(m, 0, true);
    for (int64_t count_max = 1; count_max < 9; count_max++) {
        const spmm_row_block_metrics_t found = estimate_of(&in, m->cols, count_max);
        assert_int_equal(found.working_set_max, m->cols);
        assert_int_equal(found.stages_max, m->cols / in.stage_slots);
    }
    row_block_input_close(&in);
    spmm_matrix_destroy(m);
}

#define WIDE_ROW_BLOCKS 400
#define WIDE_LENGTH 7 /* nonzeros per row */

/* All row blocks of 32 rows need 38 columns, except for one whose rows share no column and need 224. It has
 * no more nonzeros than the others. */
static void one_wide_row_block(int64_t wide, int64_t *row_ptr, int32_t *col_ind)
{
    row_ptr[0] = 0;
    for (int64_t row = 0; row < WIDE_ROW_BLOCKS * 32; row++) {
        const int64_t first = row / 32 == wide ? 100 + WIDE_LENGTH * (row % 32) : row % 32;
        row_ptr[row + 1] = row_ptr[row] + WIDE_LENGTH;
        for (int64_t i = 0; i < WIDE_LENGTH; i++)
            col_ind[row_ptr[row] + i] = (int32_t)(first + i);
    }
}

static void a_row_block_that_needs_more_stages_is_looked_for(void **state)
{
    (void)state;
    static int64_t row_ptr[WIDE_ROW_BLOCKS * 32 + 1];
    static int32_t col_ind[WIDE_ROW_BLOCKS * 32 * WIDE_LENGTH];
    static uint32_t backwards[WIDE_ROW_BLOCKS * 32];
    struct spmmi_row_block_input in = {.cols = 400,
                                       .units = WIDE_ROW_BLOCKS * 32,
                                       .unit_ptr = row_ptr,
                                       .col_ind = col_ind,
                                       .block_rows = 32,
                                       .stage_slots = 32,
                                       .value_bytes = 4,
                                       .register_tile = 8,
                                       .multiprocessors = 132};
    for (uint32_t u = 0; u < WIDE_ROW_BLOCKS * 32; u++)
        backwards[u] = WIDE_ROW_BLOCKS * 32 - 1 - u;
    for (int64_t wide = 0; wide < WIDE_ROW_BLOCKS; wide += 57) {
        one_wide_row_block(wide, row_ptr, col_ind);
        for (int turn = 0; turn < 4; turn++) {
            in.permutation = turn % 2 == 1 ? backwards : NULL;
            in.threads = turn < 2 ? 1 : 3;
            assert_int_equal(spmmi_row_block_widest(&in), turn % 2 == 1 ? WIDE_ROW_BLOCKS - 1 - wide : wide);
            const spmm_row_block_metrics_t found = estimate_of(&in, 324, ROW_BLOCKS_MAX);
            assert_int_equal(found.stages_max, 7);
            assert_int_equal(found.working_set_max, 224);
        }
    }
}

/* A row block is weighted by the inverse of its chance. So the weighted sum must give exactly the quantity
 * that defines the chances: the nonzeros, plus the mean of the nonzeros for each row block that has any. */
static void weights_add_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(specs); i++) {
        spmm_matrix_t *m = row_block_matrix(specs[i]);
        struct spmmi_row_block_input in = input_of(m, 0, i % 2 == 1);
        struct spmmi_row_block_sample sample;
        int64_t used = 0;
        double length = 0;
        for (int64_t p = 0; p < spmmi_row_blocks_of(&in); p++)
            used += spmmi_row_block_nonzeros(&in, p) > 0;
        const int64_t mean = used == 0 ? 0 : (m->nnz + used - 1) / used;
        assert_int_equal(spmmi_row_block_sample_open(&in, ROW_BLOCKS_MAX, &sample), SPMM_OK);
        assert_true(sample.count <= ROW_BLOCKS_MAX + 1);
        for (int64_t k = 0; k < sample.count; k++) {
            const int64_t nonzeros = spmmi_row_block_nonzeros(&in, sample.list[k]);
            assert_true(k == 0 || sample.list[k] > sample.list[k - 1]);
            assert_true(nonzeros > 0 && nonzeros <= sample.most);
            assert_true(sample.weight[k] > 0 || nonzeros == sample.most);
            length += sample.weight[k] * (double)(nonzeros + mean);
        }
        assert_share(specs[i], "length", length, (double)(m->nnz + used * mean), 1e-9);
        spmmi_row_block_sample_close(&sample);
        row_block_input_close(&in);
        spmm_matrix_destroy(m);
    }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:rmat:13:16");
    assert_true(m->nnz > 100000);
    struct spmmi_row_block_input in = input_of(m, 0, true);
    const spmm_row_block_metrics_t one = estimate_of(&in, m->cols, ROW_BLOCKS_MAX);
    for (in.threads = 2; in.threads <= 8; in.threads += 3) {
        const spmm_row_block_metrics_t many = estimate_of(&in, m->cols, ROW_BLOCKS_MAX);
        assert_memory_equal(&many, &one, sizeof one);
    }
    row_block_input_close(&in);
    spmm_matrix_destroy(m);
}

static void says_when_memory_is_short(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:rand:9000:5");
    struct spmmi_row_block_input in = input_of(m, 0, false);
    const int64_t live = spmmi_alloc_live();
    spmm_row_block_metrics_t stats;
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    for (; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 0);
        status = spmmi_row_block_estimate(&in, m->cols, ROW_BLOCKS_MAX, &stats);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    spmmi_alloc_fail_at(-1, 0);
    assert_true(k > 4);
    row_block_input_close(&in);
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_of_all_row_blocks_is_exact),
        cmocka_unit_test(a_sample_is_near),
        cmocka_unit_test(the_row_block_with_most_nonzeros_is_looked_at),
        cmocka_unit_test(a_row_block_that_needs_more_stages_is_looked_for),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(says_when_memory_is_short),
    };
    return cmocka_run_group_tests_name("panel_sample", tests, NULL, NULL);
}
