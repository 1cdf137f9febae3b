/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the metrics of a tiled schedule equal metrics of the arrays that the executor packs for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernels/tiled/tiled_pack.h"
#include "format/base/alloc.h"
#include "row_block_literal.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const specs[] = {
    "gen:fem3:5:5:9", "gen:femshuf:5:5:9",  "gen:band:900:7",   "gen:rmat:11:9",
    "gen:arrow:3000", "gen:empty:50:60",    "gen:dense:1:3000", "gen:dense:400:1",
    "gen:empty:0:60", "gen:block:512:16:3", "gen:diag:1000",    "gen:powerlaw:2000:700:9",
};

/* Returns the part for this schedule. The caller frees its items, which are a copy. */
static struct spmmi_part part_of(const struct spmmi_row_block_input *in)
{
    struct spmmi_part part = {.op = SPMM_OP_N,
                              .family = SPMM_FAMILY_TILED,
                              .schedule = in->segment > 0 ? SPMM_SCHEDULE_SEGMENTED : SPMM_SCHEDULE_WHOLE,
                              .item_size = (uint32_t)in->segment,
                              .item_count = in->units,
                              .block_rows = in->block_rows,
                              .stage_slots = in->stage_slots,
                              .flags = in->permutation != NULL ? SPMMI_PART_REORDERED : 0};
    part.items = spmmi_alloc(in->units, sizeof *part.items);
    for (uint64_t i = 0; i < in->units; i++)
        part.items[i] = in->permutation != NULL ? in->permutation[i] : (uint32_t)i;
    return part;
}

static void assert_row_blocks(const struct spmmi_tiled *view, const spmm_row_block_metrics_t *stats)
{
    int64_t working_set_max = 0, stages_max = 0;
    for (uint32_t p = 0; p < view->row_block_count; p++) {
        const uint32_t first = view->row_block_stage[p], end = view->row_block_stage[p + 1];
        const int64_t working_set = view->stage_first[end] - view->stage_first[first];
        working_set_max = working_set > working_set_max ? working_set : working_set_max;
        stages_max = end - first > stages_max ? end - first : stages_max;
    }
    assert_int_equal(working_set_max, stats->working_set_max);
    assert_int_equal(stages_max, stats->stages_max);
}

static void assert_access(const struct spmmi_tiled *view, const spmm_row_block_metrics_t *stats)
{
    const uint32_t line = 64 / (uint32_t)stats->value_bytes;
    int64_t runs = 0, lines = 0, sectors = 0;
    for (uint32_t s = 0; s < view->stage_count; s++) {
        for (uint32_t i = view->stage_first[s]; i < view->stage_first[s + 1]; i++) {
            const int is_first = i == view->stage_first[s];
            const uint32_t column = view->columns[i], before = is_first ? 0 : view->columns[i - 1];
            runs += is_first || column != before + 1;
            lines += is_first || column / line != before / line;
            sectors += is_first || column / (line / 2) != before / (line / 2);
        }
    }
    assert_int_equal(runs, stats->runs);
    assert_int_equal(lines, stats->lines);
    assert_int_equal(sectors, stats->sectors);
}

static void packed_arrays_have_the_metrics_that_were_counted(void **state)
{
    static const uint32_t block_rows[] = {32, 64, 128, 256}, segments[] = {0, 5};
    spmm_matrix_t *m = row_block_matrix(*state);
    for (uint32_t c = 0; c < 16; c++) {
        struct spmmi_row_block_input in = row_block_input_open(m, segments[c / 2 % 2], c % 2 == 1);
        in.block_rows = block_rows[c / 4 % COUNT(block_rows)];
        in.stage_slots = c % 3 == 0 ? 33 : 447;
        in.value_bytes = c % 5 == 0 ? 8 : 4;
        in.register_tile = 1;
        spmm_row_block_metrics_t stats;
        assert_int_equal(spmmi_row_block_metrics(&in, &stats), SPMM_OK);
        struct spmmi_part part = part_of(&in);
        struct spmmi_tiled_layout layout;
        assert_int_equal(spmmi_tiled_build(m->rows, m->cols, m->row_ptr, m->col_ind, &part, &layout, NULL),
                         SPMM_OK);
        assert_int_equal(layout.view.row_block_count, stats.row_blocks);
        assert_int_equal(layout.view.working_set, stats.working_set_sum);
        assert_int_equal(layout.view.stage_count, stats.stages);
        assert_int_equal(layout.view.slice_count, stats.slices);
        if (m->nnz > 0)
            assert_true(stats.padding == 32.0 * layout.view.slice_count / (double)m->nnz);
        assert_row_blocks(&layout.view, &stats);
        assert_access(&layout.view, &stats);
        spmmi_tiled_free(&layout);
        spmmi_free(part.items);
        row_block_input_close(&in);
    }
    spmm_matrix_destroy(m);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(specs)];
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[i] = (struct CMUnitTest){specs[i], packed_arrays_have_the_metrics_that_were_counted, NULL, NULL,
                                       (void *)(uintptr_t)specs[i]};
    return cmocka_run_group_tests_name("panel_layout", tests, NULL, NULL);
}
