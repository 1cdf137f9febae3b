/* SPDX-License-Identifier: Apache-2.0 */
/* Checks metrics of windows, row blocks and block-row groups: worked out by hand, and compared with the
 * layout that the executor builds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "kernels/tcblock/tcblock_pack.h"
#include "format/base/alloc.h"
#include "kernels/tcblock/tcblock_analysis_plan.h"
#include "row_block_literal.h"
#include "tests/support/tcblock_kind_of.h"

static const struct {
    spmm_family_t family;
    uint32_t rows;
} units[SPMMI_TCBLOCK_UNITS] = {{SPMM_FAMILY_WINDOW, 8},  {SPMM_FAMILY_PANEL, 64}, {SPMM_FAMILY_PANEL, 128},
                                {SPMM_FAMILY_PANEL, 256}, {SPMM_FAMILY_BCSR, 64},  {SPMM_FAMILY_BCSR, 128}};

static struct spmmi_pattern pattern_of(const spmm_matrix_t *m)
{
    struct spmmi_pattern a = {
        .rows = m->rows, .cols = m->cols, .nnz = m->nnz, .row_ptr = m->row_ptr, .col_ind = m->col_ind};
    for (int64_t i = 0; i < a.rows; i++) {
        const int64_t length = a.row_ptr[i + 1] - a.row_ptr[i];
        a.longest = length > a.longest ? length : a.longest;
    }
    return a;
}

static struct spmmi_tcblock_analysis analysis_in(const struct spmmi_pattern *a, const uint32_t *permutation,
                                                 spmm_dtype_t dtype, int64_t chunks_max, int threads)
{
    struct spmmi_tcblock_analysis analysis;
    assert_int_equal(spmmi_tcblock_analysis_open(a, permutation, dtype, chunks_max, threads, &analysis),
                     SPMM_OK);
    return analysis;
}

static struct spmmi_tcblock_analysis analysis_of(const struct spmmi_pattern *a, const uint32_t *permutation,
                                                 int64_t chunks_max, int threads)
{
    return analysis_in(a, permutation, SPMM_F32, chunks_max, threads);
}

/* ---- By hand ---- */

struct expected {
    double units, working_set, steps, blocks, longest;
};

static void assert_metrics(const struct spmmi_pattern *a, const uint32_t *permutation,
                           const struct expected expected[SPMMI_TCBLOCK_UNITS])
{
    struct spmmi_tcblock_analysis s = analysis_of(a, permutation, 0, 1);
    for (int h = 0; h < SPMMI_TCBLOCK_UNITS; h++) {
        const struct spmmi_tcblock_counts *f = &s.counts[h];
        assert_int_equal(f->family, units[h].family);
        assert_int_equal(f->unit_rows, units[h].rows);
        assert_int_equal(f->positions, h < SPMMI_TCBLOCK_BCSR_64 ? 64 : 128);
        assert_true(f->units == expected[h].units && f->working_set == expected[h].working_set);
        assert_true(f->steps == expected[h].steps && f->blocks == expected[h].blocks);
        assert_true(f->longest == expected[h].longest);
        assert_true(f->shared == expected[SPMMI_TCBLOCK_64].working_set);
    }
    spmmi_tcblock_analysis_close(&s);
}

/* Rows 0 .. 7 hold columns 0 .. 8, and row 64 holds column 0. There are 65 rows. */
static void a_few_rows_are_as_counted_by_hand(void **state)
{
    (void)state;
    int64_t row_ptr[66];
    int32_t col_ind[73];
    for (int i = 0; i < 72; i++)
        col_ind[i] = i % 9;
    col_ind[72] = 0;
    for (int i = 0; i <= 65; i++)
        row_ptr[i] = i <= 8 ? 9 * i : i <= 64 ? 72 : 73;
    const struct spmmi_pattern a = {
        .rows = 65, .cols = 9, .nnz = 73, .longest = 9, .row_ptr = row_ptr, .col_ind = col_ind};
    /* Window 0 has two steps, window 8 has one. Row blocks have one step, with two blocks of window 0 and one
     * of window 8. Block-row groups have blocks at columns 0 .. 7 and 8 .. 15 in rows 0 .. 15, and at columns
     * 0 .. 7 in rows 64 .. 79. */
    const struct expected expected[] = {{9, 10, 3, 3, 2}, {2, 10, 2, 3, 1}, {1, 9, 1, 3, 1},
                                        {1, 9, 1, 3, 1},  {2, 24, 2, 3, 1}, {1, 16, 1, 3, 1}};
    assert_metrics(&a, NULL, expected);
    /* Window 0 now has rows 64 and 0 .. 6. Row 7 is in window 1, which is in the same block row. */
    uint32_t permutation[65];
    for (uint32_t i = 0; i < 65; i++)
        permutation[i] = i == 0 ? 64 : i <= 64 ? i - 1 : i;
    const struct expected reordered[] = {{9, 18, 4, 4, 2}, {2, 9, 1, 4, 1},  {1, 9, 1, 4, 1},
                                         {1, 9, 1, 4, 1},  {2, 16, 1, 2, 1}, {1, 16, 1, 2, 1}};
    assert_metrics(&a, permutation, reordered);
}

/* Row 0 holds columns 0 .. 129. Row 8 holds columns 127 and 128, one in each step of a row block. */
static void each_step_of_a_panel_has_blocks_of_its_own(void **state)
{
    (void)state;
    int64_t row_ptr[10];
    int32_t col_ind[132];
    for (int i = 0; i < 132; i++)
        col_ind[i] = i < 130 ? i : i - 3;
    for (int i = 0; i <= 9; i++)
        row_ptr[i] = i == 0 ? 0 : i <= 8 ? 130 : 132;
    const struct spmmi_pattern a = {
        .rows = 9, .cols = 130, .nnz = 132, .longest = 130, .row_ptr = row_ptr, .col_ind = col_ind};
    /* Windows: 17 steps and one step. Row blocks: row 0 has 16 blocks in one step and one in the other, row 8
     * has one in each. Block-row groups: one block row with 17 blocks, 4 per step. */
    const struct expected expected[] = {{2, 132, 18, 18, 17}, {1, 130, 2, 19, 2}, {1, 130, 2, 19, 2},
                                        {1, 130, 2, 19, 2},   {1, 136, 5, 17, 5}, {1, 136, 5, 17, 5}};
    assert_metrics(&a, NULL, expected);
}

static void items_are_cut_where_the_item_size_says(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:arrow:600");
    const struct spmmi_pattern a = pattern_of(m);
    struct spmmi_tcblock_analysis s = analysis_of(&a, NULL, 0, 1);
    /* Window 0 holds all 600 columns: 75 steps. Each other window has column 0 and its own 8 columns: 9
     * columns, 2 steps. */
    assert_true(s.counts[SPMMI_TCBLOCK_8].steps == 75 + 74 * 2);
    struct spmmi_tcblock_items items = spmmi_tcblock_items(&s, SPMMI_TCBLOCK_8, 75);
    assert_true(items.items == 75 && items.partials == 0);
    items = spmmi_tcblock_items(&s, SPMMI_TCBLOCK_8, 74);
    assert_true(items.items == 76 && items.partials == 2);
    items = spmmi_tcblock_items(&s, SPMMI_TCBLOCK_8, 1);
    assert_true(items.items == 75 + 74 * 2 && items.partials == items.items);
    /* One multiprocessor has 32 items: 223 steps are 7 per item, below the minimum of 16. */
    struct spmmi_tcblock_counts f = s.counts[SPMMI_TCBLOCK_8];
    assert_int_equal(spmmi_tcblock_item_size(&f, 1), 16);
    f.steps = 3201;
    assert_int_equal(spmmi_tcblock_item_size(&f, 1), 101);
    assert_int_equal(spmmi_tcblock_item_size(&f, 5), 21);
    f.longest = 42;
    assert_int_equal(spmmi_tcblock_item_size(&f, 5), 42); /* twice the mean is accepted */
    f.longest = 43;
    assert_int_equal(spmmi_tcblock_item_size(&f, 5), 21);
    f.unit_rows = 64;
    f.step_columns = 128;
    assert_int_equal(spmmi_tcblock_item_size(&f, 5),
                     171); /* 4 times 3,201 / 75, as there are more than 20 units */
    assert_int_equal(spmmi_tcblock_item_size(&f, 50), 65);  /* 4 times 3,201 / 200 */
    assert_int_equal(spmmi_tcblock_item_size(&f, 1000), 8); /* 12,804 / 4,000 is below the minimum */
    f.step_columns = 32;
    f.longest = 64;
    assert_int_equal(spmmi_tcblock_item_size(&f, 1000), 64); /* the minimum is 32; twice that is accepted */
    f.longest = 65;
    assert_int_equal(spmmi_tcblock_item_size(&f, 1000), 32);
    assert_int_equal(spmmi_tcblock_item_size(&f, 50), 65);
    f.steps = 1e18;
    assert_int_equal(spmmi_tcblock_item_size(&f, 1), SPMMI_STEPS_MAX);
    spmmi_tcblock_analysis_close(&s);
    spmm_matrix_destroy(m);
}

/* ---- Against the layout ---- */

static const char *const specs[] = {"gen:fem3:4:5:6",          "gen:femshuf:4:4:6",      "gen:rmat:10:9",
                                    "gen:band:1000:40",        "gen:arrow:777",          "gen:empty:300:5",
                                    "gen:empty:0:5",           "gen:rand:900:5",         "gen:dense:70:90",
                                    "gen:powerlaw:2000:300:9", "gen:uniform:40:3000:700"};

static void assert_as_laid_out(const struct spmmi_pattern *a, const uint32_t *items, spmm_dtype_t dtype,
                               int unit, uint32_t item_size, const struct spmmi_tcblock_analysis *s)
{
    const struct spmmi_part part = {.family = units[unit].family,
                                    .schedule = SPMM_SCHEDULE_DENSE,
                                    .item_size = item_size,
                                    .item_count = (uint64_t)a->rows,
                                    .items = (uint32_t *)(uintptr_t)items,
                                    .block_rows = units[unit].rows};
    struct spmmi_tcblocks counts;
    uint64_t scratch = 0;
    spmm_diag_t diag = {0};
    if (spmmi_tcblocks_count(test_tcblock_kind_of(&part), a->rows, a->cols, a->row_ptr, a->col_ind, &part,
                             dtype, &counts, &scratch, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    const struct spmmi_tcblock_counts *f = &s->counts[unit];
    const struct spmmi_tcblock_items n = spmmi_tcblock_items(s, (enum spmmi_tcblock_unit)unit, item_size);
    assert_true(f->units == counts.unit_count && f->steps == counts.step_count);
    assert_true(f->blocks == counts.block_count);
    assert_true(n.items == counts.item_count && n.partials == counts.slot_count);
}

static void metrics_are_those_of_the_layout(void **state)
{
    const char *const spec = *state;
    spmm_matrix_t *m = row_block_matrix(spec);
    const struct spmmi_pattern a = pattern_of(m);
    for (int i = 0; i < 4; i++) { /* natural and shuffled rows, blocks of 8 and of 16 columns */
        const spmm_dtype_t dtype = i < 2 ? SPMM_F32 : SPMM_BF16;
        struct spmmi_row_block_input in = row_block_input_open(m, 0, i % 2 != 0);
        struct spmmi_tcblock_analysis s = analysis_in(&a, in.permutation, dtype, 0, 3);
        uint32_t *items = spmmi_alloc((uint64_t)a.rows, sizeof *items);
        for (uint32_t row = 0; row < a.rows; row++)
            items[row] = in.permutation == NULL ? row : in.permutation[row];
        for (int unit = 0; unit < SPMMI_TCBLOCK_UNITS; unit++) {
            assert_as_laid_out(&a, items, dtype, unit, 1, &s);
            assert_as_laid_out(&a, items, dtype, unit, 3, &s);
        }
        spmmi_free(items);
        spmmi_tcblock_analysis_close(&s);
        row_block_input_close(&in);
    }
    spmm_matrix_destroy(m);
}

/* ---- Samples, threads, memory ---- */

static void threads_change_no_value(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:rmat:13:9");
    const struct spmmi_pattern a = pattern_of(m);
    for (int64_t groups = 0; groups < 20; groups += 9) {
        struct spmmi_tcblock_analysis one = analysis_of(&a, NULL, groups, 1),
                                      four = analysis_of(&a, NULL, groups, 4);
        assert_memory_equal(one.counts, four.counts, sizeof one.counts);
        spmmi_tcblock_analysis_close(&one);
        spmmi_tcblock_analysis_close(&four);
    }
    spmm_matrix_destroy(m);
}

/* If there are far more columns than nonzeros, the columns are sorted instead of counted in arrays. */
static void empty_columns_change_no_value(void **state)
{
    static const char *const shapes[] = {"gen:rmat:9:9", "gen:empty:300:5", "gen:block:320:16:2"};
    (void)state;
    for (size_t i = 0; i < 3 * sizeof shapes / sizeof shapes[0]; i++) {
        spmm_matrix_t *m = row_block_matrix(shapes[i / 3]);
        struct spmmi_row_block_input in = row_block_input_open(m, 0, i % 3 == 1);
        const struct spmmi_pattern few = pattern_of(m);
        struct spmmi_pattern many = few;
        const spmm_dtype_t dtype = i % 3 == 2 ? SPMM_BF16 : SPMM_F32;
        many.cols = 0x7ffffffe;
        struct spmmi_tcblock_analysis x = analysis_in(&few, in.permutation, dtype, 0, 2);
        spmmi_alloc_peak_reset();
        struct spmmi_tcblock_analysis y = analysis_in(&many, in.permutation, dtype, 0, 2);
        assert_true(spmmi_alloc_peak_bytes() < 1 << 20);
        assert_memory_equal(x.counts, y.counts, sizeof x.counts);
        spmmi_tcblock_analysis_close(&y);
        spmmi_tcblock_analysis_close(&x);
        row_block_input_close(&in);
        spmm_matrix_destroy(m);
    }
}

static void samples_come_close(void **state)
{
    (void)state;
    static const char *const of_many_rows[] = {"gen:rmat:14:12", "gen:femshuf:20:20:20", "gen:band:40000:9",
                                               "gen:powerlaw:40000:3000:20"};
    for (size_t i = 0; i < sizeof of_many_rows / sizeof of_many_rows[0]; i++) {
        spmm_matrix_t *m = row_block_matrix(of_many_rows[i]);
        const struct spmmi_pattern a = pattern_of(m);
        struct spmmi_tcblock_analysis all = analysis_of(&a, NULL, 0, 2), some = analysis_of(&a, NULL, 32, 2);
        assert_true(some.chunks <= 33 && all.chunks > some.chunks);
        for (int h = 0; h < SPMMI_TCBLOCK_UNITS; h++) {
            const struct spmmi_tcblock_counts *x = &all.counts[h], *y = &some.counts[h];
            assert_true(x->units == y->units && y->longest <= x->longest && y->longest * 3 >= x->longest);
            assert_true(fabs(x->steps / y->steps - 1) < 0.08 && fabs(x->blocks / y->blocks - 1) < 0.08);
            assert_true(fabs(x->working_set / y->working_set - 1) < 0.08);
        }
        spmmi_tcblock_analysis_close(&all);
        spmmi_tcblock_analysis_close(&some);
        spmm_matrix_destroy(m);
    }
}

static void memory_that_is_short_is_reported(void **state)
{
    (void)state;
    spmm_matrix_t *m = row_block_matrix("gen:fem3:4:5:6");
    const struct spmmi_pattern a = pattern_of(m);
    const int64_t live = spmmi_alloc_live();
    spmm_status_t status = SPMM_ERR_MEMORY;
    int64_t k = 0;
    for (; status == SPMM_ERR_MEMORY; k++) {
        struct spmmi_tcblock_analysis s;
        spmmi_alloc_fail_at(k, 1);
        status = spmmi_tcblock_analysis_open(&a, NULL, SPMM_F32, 0, 2, &s);
        spmmi_alloc_fail_at(-1, 0);
        spmmi_tcblock_analysis_close(&s);
        assert_true(spmmi_alloc_live() == live);
    }
    assert_int_equal(status, SPMM_OK);
    assert_true(k > 8);
    spmm_matrix_destroy(m);
}

/* At 2^32 / 64 dense blocks the number of values exceeds 32 bits. A tenth of this is left as a margin for
 * estimates. */
static void layouts_beyond_32_bits_do_not_fit(void **state)
{
    (void)state;
    const double maximum = 0.9 * 4294967296.0;
    struct spmmi_tcblock_counts f = {.family = SPMM_FAMILY_WINDOW,
                                     .step_columns = 8,
                                     .positions = 64,
                                     .nnz = 1e9,
                                     .steps = maximum / 64 - 1,
                                     .blocks = maximum / 64 - 1};
    assert_true(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_DENSE));
    f.steps = f.blocks = maximum / 64 + 1;
    assert_false(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_DENSE));
    assert_true(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_PACKED));
    f.steps = maximum / 8 + 1; /* 8 columns per step */
    assert_false(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_PACKED));
    f = (struct spmmi_tcblock_counts){.family = SPMM_FAMILY_PANEL,
                                      .step_columns = 128,
                                      .positions = 64,
                                      .nnz = 1e8,
                                      .steps = maximum / 128 - 1,
                                      .blocks = 3e7};
    assert_true(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_PACKED));
    f.steps = maximum / 128 + 1;
    assert_false(spmmi_tcblock_fits(&f, SPMM_SCHEDULE_PACKED));
}

int main(void)
{
    enum { SPECS = sizeof specs / sizeof specs[0] };
    struct CMUnitTest layouts[SPECS];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_rows_are_as_counted_by_hand),
        cmocka_unit_test(each_step_of_a_panel_has_blocks_of_its_own),
        cmocka_unit_test(items_are_cut_where_the_item_size_says),
        cmocka_unit_test(threads_change_no_value),
        cmocka_unit_test(empty_columns_change_no_value),
        cmocka_unit_test(samples_come_close),
        cmocka_unit_test(layouts_beyond_32_bits_do_not_fit),
        cmocka_unit_test(memory_that_is_short_is_reported),
    };
    for (size_t i = 0; i < SPECS; i++)
        layouts[i] = (struct CMUnitTest){specs[i], metrics_are_those_of_the_layout, NULL, NULL,
                                         (void *)(uintptr_t)specs[i]};
    return cmocka_run_group_tests(tests, NULL, NULL) + cmocka_run_group_tests(layouts, NULL, NULL);
}
