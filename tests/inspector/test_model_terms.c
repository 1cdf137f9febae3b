/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the terms of the cost model for a device of round rates, worked out by hand from the formulas of
 * docs/model.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "kernels/bcsr/bcsr_shape.h"
#include "kernels/shared/passes_shape.h"
#include "kernels/tiled/tiled_cost.h"
#include "model_fixture.h"

/* 8 row blocks of 128 rows with 12 stages in all; rho = 5; each column has a sector of its own. */
static spmm_row_block_metrics_t row_blocks_of_128(void)
{
    return (spmm_row_block_metrics_t){.block_rows = 128,
                                      .stage_slots = 250,
                                      .units = 1000,
                                      .unit_max = 12,
                                      .row_blocks = 8,
                                      .working_set_sum = 2000,
                                      .working_set_max = 300,
                                      .stages = 12,
                                      .stages_max = 2,
                                      .slices = 400,
                                      .sectors = 2000};
}

#define MANY_UNITS 1000000 /* R is as large as it may be */

static struct spmmi_prediction predict(const struct spmmi_model_matrix *m,
                                       const spmm_row_block_metrics_t *row_blocks, int64_t n, uint32_t layout,
                                       spmm_dtype_t dtype)
{
    const struct spmmi_tiled_metrics metrics = {
        row_blocks, spmmi_model_register_tile(n, MANY_UNITS, dtype, device.multiprocessors), 0};
    const struct spmmi_model_candidate c = {
        .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_WHOLE, .metrics = &metrics};
    return spmmi_predict(&device, m, &c, n, layout, dtype);
}

static void tiled_terms_of_column_major_are_as_counted(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_windows();
    const spmm_row_block_metrics_t row_blocks = row_blocks_of_128();
    const struct spmmi_prediction p = predict(&m, &row_blocks, 32, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    /* R = 16: 2 passes. A: 400 * 32 = 12,800 entries of 6 bytes and lists of 2,000 columns, 84,800 bytes. B:
     * 500 * 32 * 4 = 64,000 bytes, loaded once (the L2 cache holds B). C: 1000 * 32 * 4 bytes. */
    assert_near(p.term[SPMMI_TERM_DRAM], (84800 + 64000 + 128000) / 1e12);
    /* B: 2,000 sectors of 32 bytes for each of 32 columns at 2e12. A twice and C at the wide rate. */
    assert_near(p.term[SPMMI_TERM_L2], 2048000 / 2e12 + (2 * 84800 + 128000) / 4e12);
    /* In each pass a slice takes 16 wavefronts of 128 bytes and 2.5 for its entries; a sector takes 0.7. */
    assert_near(p.term[SPMMI_TERM_L1], (800 * 18.5 + 0.7 * 2000 * 32) * 128 / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 12800 * 32 / 2e13);
    /* Instructions of a pass: 400 (9 + 16 * 1.25) = 11,600 and 62.5 * 5.5 * 16 = 5,500. 3.2e10 per second. */
    assert_near(p.term[SPMMI_TERM_ISSUE], 2 * 17100 / 3.2e10);
    /* Two stages of 251 slots of 80 bytes and 1,024 bytes: one thread block per SM, so 16 on 10 SMs take 1.6
     * waves. A row block has 1.5 stages of 2 batches each (167 columns are over four times 32). Each warp has
     * 12.5 slices. R has doubled four times, below three times. */
    assert_near(p.term[SPMMI_TERM_WAVES], 1.6 * (1 + 1.5 * (1.5 + 1.8 * 2) + 0.175 * 12.5) * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], (2 * (1.05 * 4 + 2) + 0.17 * 12) * 1e-6);
    assert_true(p.term[SPMMI_TERM_CONVERT] == 0);
    assert_true(p.launches == 0);
}

static void tiled_terms_of_row_major_and_f64_are_as_counted(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_windows();
    const spmm_row_block_metrics_t row_blocks = row_blocks_of_128();
    const struct spmmi_prediction p = predict(&m, &row_blocks, 5, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F64);
    /* R = 8, of which 5 columns are used. Rows of 40 bytes are two sectors, 12.8 bytes per value. */
    const double a = 12800 * 10 + 8000, c = 1000 * 40, once = 500 * 64, staged = 2000 * 64;
    const double at_40 = 2e12 + 2e12 * log2(40.0 / 32);
    assert_near(p.term[SPMMI_TERM_DRAM], (a + once + c) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], staged / at_40 + (a + c) / 4e12);
    assert_near(p.term[SPMMI_TERM_L1], (400 * 18.5 + 1.7 * 2000 * 2) * 128 / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 12800 * 5 / 1e13);
    assert_near(p.term[SPMMI_TERM_ISSUE], (400 * (9 + 8 * 1.5) + 62.5 * 5.5 * 8) / 3.2e10);
    /* Rows of B are aligned to 8 bytes: 167 columns of 8 words take 10.4 turns of 128 threads, 3 batches. */
    assert_near(p.term[SPMMI_TERM_LONGEST], (2 * (1.05 * 3 + 3) + 0.17 * 12) * 1e-6);
}

static void what_a_small_cache_forgets_comes_again_from_dram(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_windows();
    const spmm_row_block_metrics_t row_blocks = row_blocks_of_128();
    struct spmmi_device_profile small = device;
    const struct spmmi_tiled_metrics metrics = {&row_blocks, 16, 0};
    const struct spmmi_model_candidate c = {
        .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_WHOLE, .metrics = &metrics};
    small.l2_bytes = 33 * 64 / 0.7; /* 33 rows of 64 bytes: windows of slightly more than 32 nonzeros */
    m.by_rows.near[6] = 0;          /* reuse distances are 128 */
    const struct spmmi_prediction p = spmmi_predict(&small, &m, &c, 32, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    /* Nothing is reused: each staged sector is loaded from DRAM, and A in each of the two passes. */
    assert_true(p.l2_share == 0);
    assert_near(p.term[SPMMI_TERM_DRAM], (2 * 84800 + 2048000 + 128000) / 1e12);
}

static void rows_that_are_cut_add_sums_and_a_launch(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_windows();
    spmm_row_block_metrics_t row_blocks = row_blocks_of_128();
    struct spmmi_tiled_metrics metrics = {&row_blocks, 16, 20};
    const struct spmmi_model_candidate c = {
        .family = SPMM_FAMILY_TILED, .schedule = SPMM_SCHEDULE_SEGMENTED, .metrics = &metrics};
    const double whole = predict(&m, &row_blocks, 33, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32).term[SPMMI_TERM_DRAM];
    row_blocks.segment = 8;
    row_blocks.units = 1024;
    const struct spmmi_prediction p = spmmi_predict(&device, &m, &c, 33, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    /* The sums of 24 extra units and of the first unit of each of 20 cut rows are written and read. */
    assert_near(p.term[SPMMI_TERM_DRAM], whole + 2 * 2.0 * 44 * 33 * 4 / 1e12);
    assert_true(p.launches == 1);
    /* 20 rows by two times 32 columns are 40 thread blocks, half a wave with 8 on each of 10 SMs. A wave
     * takes two steps. 10 nonzeros in segments of 8 have two sums. */
    assert_near(p.term[SPMMI_TERM_CONVERT], (2 * 0.5 + 2.0 / 128) * 1e-6);
    row_blocks.units = 1000; /* no row is longer than a segment */
    metrics.cut_rows = 0;
    assert_true(spmmi_predict(&device, &m, &c, 33, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32).launches == 0);
}

/* There are as many stages as row blocks, because empty row blocks have none and others have two. The latter
 * still keep two stages in shared memory. */
static void a_panel_of_two_stages_needs_twice_the_shared_memory(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_windows();
    spmm_row_block_metrics_t row_blocks = row_blocks_of_128();
    row_blocks.row_blocks = 16;
    row_blocks.stages = 16;
    const double two = predict(&m, &row_blocks, 16, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32).term[SPMMI_TERM_WAVES];
    /* One thread block per SM: 16 on 10 SMs take 1.6 waves. 125 columns are one batch; a warp has 6.25
     * slices. */
    assert_near(two, 1.6 * (1 + 1.5 + 1.8 + 0.175 * 6.25) * 1e-6);
    row_blocks.stages_max = 1;
    const double one = predict(&m, &row_blocks, 16, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32).term[SPMMI_TERM_WAVES];
    assert_near(one, two / 1.6); /* two thread blocks per SM: one wave */
}

static void row_split_terms_are_as_counted(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_windows();
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    m.items = 1000;
    m.item_longest = 3;
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++)
        m.item_steps[i] = ceil(ldexp(1000, -i)) * 3;
    /* 32 columns of f32: one tile of 8 lanes with 4 values each. A warp has 4 items, a thread block 32. */
    struct spmmi_prediction p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.l2_share, 0.95);
    assert_near(p.l1_share, 0.95); /* among the 320 nonzeros of a thread block */
    assert_near(p.term[SPMMI_TERM_DRAM], (61250 + 0.05 * 1280000 + 128000) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], ((1 - p.l1_share) * 1280000 + 61250 + 128000) / 4e12);
    assert_near(p.term[SPMMI_TERM_L1], 250 * 3 * 4 * (2 * 64 + 4 * 128) / 5e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 10000 * 32 / 2e13);
    assert_near(p.term[SPMMI_TERM_ISSUE], 250 * 3 * 40 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], (0.5 * 0.95 + 2 * 0.05) * 32 * 3 / 50.0 * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 3e-6);
    /* 34: 32 lanes with pairs. 33: 16 lanes with triples. 31: single values. 34, column-major: scratch, 16
     * lanes with four values. */
    p = spmmi_predict(&device, &m, &c, 34, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L1], 3000 * (2 * 64 + 4 * 136) / 5e12);
    assert_near(p.term[SPMMI_TERM_ISSUE], 3000 * 32 / 3.2e10);
    p = spmmi_predict(&device, &m, &c, 33, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ISSUE], 1500 * 36 / 3.2e10);
    p = spmmi_predict(&device, &m, &c, 31, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ISSUE], 3000 * 28 / 3.2e10);
    p = spmmi_predict(&device, &m, &c, 34, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ISSUE], 1500 * 40 / 3.2e10);
    /* Column-major: B was just converted, so it is in the cache. C is stored in sectors of 4 or 8 rows. */
    p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_DRAM], (61250 + 128000) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], ((1 - p.l1_share) * 1280000 + 61250 + 32 * 32 * 250) / 4e12);
    p = spmmi_predict(&device, &m, &c, 8, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    assert_near(p.l1_share, 0.95);
    assert_near(p.term[SPMMI_TERM_L2], (1 - p.l1_share) * 320000 / 2e12 + (61250 + 32000) / 4e12);
    assert_near(p.term[SPMMI_TERM_CONVERT], 2 * 500 * 8 * 4 / 1e12);
    assert_true(p.launches == 1);
    /* More rows: C is stored as it is if it has a tile of 32 columns, else it is converted. */
    for (int i = 0; i < 2; i++) {
        const double columns = i == 0 ? 32 : 8, rows = i == 0 ? 80000 : 600000;
        m.rows = m.rows_used = rows;
        p = spmmi_predict(&device, &m, &c, (int64_t)columns, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
        assert_near(p.term[SPMMI_TERM_CONVERT], 2 * (500 + (i == 0 ? 0.6 : 1) * rows) * columns * 4 / 1e12);
        assert_true(p.launches == 1 + i);
    }
}

static void nonzero_split_terms_are_as_counted(void **state)
{
    (void)state;
    struct spmmi_model_matrix m = matrix_of_windows();
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS,
                                            .schedule = SPMM_SCHEDULE_NONZERO_SPLIT};
    /* 8 lanes: 50 thread blocks of 32 groups at a time, each of 200 nonzeros: 1.5625 steps and 2. */
    struct spmmi_prediction p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L1], 625 * 4 * (2 * 64 + 4 * 128) / 5e12);
    assert_near(p.term[SPMMI_TERM_ISSUE], 625 * 40 / 3.2e10);
    /* The L1 cache holds the 0.95 that a block reads again, for steps half as long. DRAM has the rest. */
    assert_near(p.l1_share, 0.95);
    assert_near(p.term[SPMMI_TERM_WAVES], (0.5 * 0.95 + 2 * 0.05) * 3.5625 * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 4e-6);
    m.longest = 2600; /* 13 thread blocks: 4 + 13 * 8 / 256 steps more */
    p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_LONGEST], (4 + 4 + 13 * 8 / 256.0) * 1e-6);
    p = spmmi_predict(&device, &m, &c, 10, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32); /* 8 lanes with two values */
    assert_near(p.term[SPMMI_TERM_ISSUE], 625 * 32 / 3.2e10);
    /* n = 1: a warp takes 128 nonzeros per step, two steps per turn; 60 thread blocks run at a time. */
    p = spmmi_predict(&device, &m, &c, 1, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ISSUE], 10000 / 128.0 * 28 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_L1], 10000 * (24 + 4 + 4) / 5e12);
    assert_near(p.term[SPMMI_TERM_WAVES], 10000 / 1024.0 / 60 * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 2e-6);
    m.by_rows.near[6] = m.by_rows.near[7] = m.by_rows.near[8] =
        0; /* what is read again only after 256 nonzeros is in the L2 cache */
    p = spmmi_predict(&device, &m, &c, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_true(p.l1_share == 0);
    assert_near(p.term[SPMMI_TERM_WAVES], (0.95 + 2 * 0.05) * 3.5625 * 1e-6);
}

static void terms_of_a_cpu_are_as_counted(void **state)
{
    (void)state;
    const struct spmmi_model_matrix m = matrix_of_windows();
    struct spmmi_device_profile cpu = device;
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT};
    cpu.target = SPMMI_TARGET_CPU;
    /* 12 columns of f32: 48 bytes of a cache line of 64 bytes. */
    const struct spmmi_prediction p = spmmi_predict(&cpu, &m, &c, 12, SPMM_LAYOUTS_COL_MAJOR, SPMM_F32);
    const double at_48 = 2e12 + 2e12 * log2(48.0 / 32);
    assert_near(p.term[SPMMI_TERM_DRAM], (80000 + 0.05 * 640000 + 48000) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], 0.05 * 480000 / at_48);
    assert_near(p.term[SPMMI_TERM_L1], 480000 / 5e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 10000 * 12 / 2e13);
    assert_near(p.term[SPMMI_TERM_ISSUE], 10000 * 1.75 / 8e9);
    assert_near(p.term[SPMMI_TERM_WAVES], 1000 * 10 / 8e9);
    assert_near(p.term[SPMMI_TERM_LONGEST], 10 * 12 * 2 * 10 / 2e13);
    assert_near(p.term[SPMMI_TERM_CONVERT], 2 * 1500 * 48 / 1e12);
}

/* 1,000 rows in 125 windows of 16 steps each, or in 16 row blocks of 64 rows with 1.5 steps each. */
static const struct spmmi_tcblock_counts windows = {.family = SPMM_FAMILY_WINDOW,
                                                    .unit_rows = 8,
                                                    .step_columns = 8,
                                                    .units = 125,
                                                    .nnz = 10000,
                                                    .working_set = 6400,
                                                    .steps = 2000,
                                                    .blocks = 2000,
                                                    .longest = 40,
                                                    .shared = 1600};
static const struct spmmi_tcblock_counts row_blocks = {.family = SPMM_FAMILY_PANEL,
                                                       .unit_rows = 64,
                                                       .step_columns = 128,
                                                       .units = 16,
                                                       .nnz = 10000,
                                                       .working_set = 1600,
                                                       .steps = 24,
                                                       .blocks = 1800,
                                                       .longest = 3,
                                                       .shared = 1600};

static struct spmmi_prediction predict_tcblocks(const struct spmmi_model_tcblocks *f,
                                                spmm_schedule_t schedule, spmm_compute_t compute, int64_t n,
                                                uint32_t layout, spmm_dtype_t dtype)
{
    const struct spmmi_model_matrix m = matrix_of_windows();
    const struct spmmi_model_candidate c = {
        .family = f->counts->family, .schedule = schedule, .metrics = f, .compute = compute};
    return spmmi_predict(&device, &m, &c, n, layout, dtype);
}

static void window_terms_are_as_counted(void **state)
{
    (void)state;
    const struct spmmi_model_tcblocks f = {.counts = &windows, .items = 150, .partials = 50, .item_size = 16};
    /* 64 columns of f32 are one tile. Dense: a step lists 8 columns and has 64 values. B has 500 rows of 256
     * bytes, and the L2 cache holds all that it can, 0.95. 50 windows of 64 columns are partial sums. */
    struct spmmi_prediction p =
        predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_TF32, 64, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double a = 2000 * (32 + 256), b = 500 * 256, c = 1000 * 256, sums = 2 * 50 * 8 * 256;
    assert_near(p.term[SPMMI_TERM_DRAM], (a + b + c + sums) / 1e12);
    /* Halfway on a logarithmic scale from 6,400 columns to 1,600: 3,200. */
    assert_near(p.term[SPMMI_TERM_L2], 3200 * 256 / 4e12 + (a + c + sums) / 4e12);
    assert_near(p.term[SPMMI_TERM_L1], 2000 * (8 * 256 + 256) / 5e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 64 * 2000 * 64 / 1e14);
    /* A step of a warp: 24 instructions, 4 loads of B, rounding of 16 values of B and 2 of A, 4 MMAs. */
    assert_near(p.term[SPMMI_TERM_ISSUE], 2000 * (24 + 4 + 18 + 4) / 3.2e10);
    /* 150 items on 320 warps are one wave. The longest window of 40 steps is cut at 16. */
    assert_near(p.term[SPMMI_TERM_WAVES], (1 + 2000.0 / 150) * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + 16) * 1e-6);
    /* Its three parts are added up. */
    assert_near(p.term[SPMMI_TERM_CONVERT], (2 + 3 * 0.15) * 1e-6);
    assert_true(p.launches == 1);
    /* 3xtf32 takes three products of split values. Packed blocks must be unpacked. */
    p = predict_tcblocks(&f, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_3XTF32, 64, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_DRAM], (2000 * (32 + 12) + 40000 + b + c + sums) / 1e12);
    assert_near(p.term[SPMMI_TERM_L1], 2000 * (8 * 256 + 512) / 5e12);
    assert_near(p.term[SPMMI_TERM_ALU], 3 * 2.0 * 64 * 2000 * 64 / 1e14);
    assert_near(p.term[SPMMI_TERM_ISSUE], 2000 * (24 + 4 + 3 * 18 + 3 * 4 + 24) / 3.2e10);
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + 1.1 * 16) * 1e-6);
    /* 20 columns take a tile of 32, with two steps in flight. */
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_TF32, 20, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 64 * 2000 * 32 / 1e14);
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + 0.25 * 16) * 1e-6);
}

/* Returns the factor by which the work of row blocks takes longer: half a wave more in `waves` waves, and
 * half more, divided by the `resident` thread blocks of a multiprocessor. */
static double busy(double waves, double resident)
{
    return (1 + 0.5 / fmax(waves, 1)) * (1 + 0.5 / resident);
}

static void panel_terms_are_as_counted(void **state)
{
    (void)state;
    struct spmmi_model_tcblocks f = {.counts = &row_blocks, .items = 16, .item_size = 16};
    /* 100 columns of f64 are two tiles of 64 columns, with rows of 512 bytes. A step lists 128 columns and
     * the first blocks of 8 windows; a block lists 8 positions. */
    struct spmmi_prediction p =
        predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_F64, 100, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F64);
    const double a = 24 * (512 + 32) + 1800 * (8 + 512), b = 500 * 1024, c = 1000 * 800;
    assert_near(p.term[SPMMI_TERM_DRAM], (2 * a + b + c) / 1e12); /* A is more than 0.7 of the L2 cache */
    assert_near(p.term[SPMMI_TERM_L2], 1600 * 1024 / 4e12 + (2 * a + c) / 4e12);
    /* Rows of B and blocks are stored once. For each block a warp reads its values and 8 rows of B. */
    assert_near(p.term[SPMMI_TERM_L1],
                busy(3.2, 1) * 2 * (1600 * 512 + 1800 * (8 + 512) + 1800 * (8 * 512 + 512.0)) / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], busy(3.2, 1) * 2 * 64 * 1800 * 128 / 4e13);
    /* A block: 10 instructions, 16 loads of B and 4 MMAs. Each of 8 warps: 130 per step and 300 per item. */
    assert_near(p.term[SPMMI_TERM_ISSUE],
                busy(3.2, 1) * 2 * (1800 * 30 + 8 * (24 * 130 + 16 * 300)) / 3.2e10);
    /* A stage of 128 * 544 bytes and blocks is more than there is: one thread block per SM, so 32 on 10 SMs
     * take 3.2 waves. A step copies 1,600 / 24 rows of B. A warp has 9.375 blocks of 4 MMAs per step. */
    const double step = 2 + 3 * 1600 / 24.0 * 512 / 16384 + 0.02 * 9.375 * 4;
    assert_near(p.term[SPMMI_TERM_WAVES], 3.2 * (1 + step * 1.5) * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + step * 3) * 1e-6);
    assert_true(p.term[SPMMI_TERM_CONVERT] == 0 && p.launches == 0);
    /* Column-major f16, 300 columns: B was just converted, in two conversions of 8 steps. Permuted rows of C
     * are stored at the rate of a scatter. There are three tiles of 128 columns. */
    f.is_reordered = 1;
    p = predict_tcblocks(&f, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_F16, 300, SPMM_LAYOUTS_COL_MAJOR, SPMM_F16);
    const double packed = 24 * (512 + 32) + 1800 * (8 + 12) + 20000;
    assert_near(p.term[SPMMI_TERM_DRAM], (packed + 600000) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], 1600 * 768 / 4e12 + 3 * packed / 4e12 + 600000 / 5e11);
    assert_near(p.term[SPMMI_TERM_ALU], busy(4.8, 1) * 2.0 * 64 * 1800 * 384 / 2e14);
    assert_near(p.term[SPMMI_TERM_CONVERT], 2 * 1500 * 300 * 2 / 1e12 + 2 * 8 * 1e-6);
    assert_true(p.launches == 0);
    /* If a warp has fewer than 8 blocks per step, tiles are half as wide. */
    struct spmmi_tcblock_counts few = row_blocks;
    few.blocks = 24 * 63;
    f.counts = &few;
    p = predict_tcblocks(&f, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_F16, 300, SPMM_LAYOUTS_COL_MAJOR, SPMM_F16);
    assert_near(p.term[SPMMI_TERM_ALU], busy(4, 2) * 2.0 * 64 * 24 * 63 * 320 / 2e14);
    f.counts = &row_blocks;
    /* With more shared memory, registers are the limit: 8 columns of f16 take 32 warps, four blocks. */
    struct spmmi_device_profile wide = device;
    const struct spmmi_model_matrix m = matrix_of_windows();
    const struct spmmi_model_candidate candidate = {.family = SPMM_FAMILY_PANEL,
                                                    .schedule = SPMM_SCHEDULE_PACKED,
                                                    .metrics = &f,
                                                    .compute = SPMM_COMPUTE_F16};
    wide.shared_sm_bytes = 1e9;
    f.items = 200;
    p = spmmi_predict(&wide, &m, &candidate, 8, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F16);
    const double narrow = 2 + 3 * 1600 / 24.0 * 64 / 16384 + (0.02 * 2 + 0.1) * 9.375;
    assert_near(p.term[SPMMI_TERM_WAVES], 5 * (1 + narrow * 24 / 200) * 1e-6);
}

static void a_long_panel_keeps_its_multiprocessor_busy(void **state)
{
    (void)state;
    struct spmmi_tcblock_counts few = row_blocks;
    struct spmmi_model_tcblocks f = {.counts = &few, .items = 24, .item_size = 16};
    few.longest = 12; /* of 24 steps: 5 times the mean of 2.4 per SM; half of this counts */
    struct spmmi_prediction p =
        predict_tcblocks(&f, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_TF32, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double stored = 1600 * 128 + 1800 * (8 + 12) + 40000;
    assert_near(p.term[SPMMI_TERM_L1], 2.5 * busy(1.2, 2) * (stored + 1800 * (8 * 128 + 512)) / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.5 * busy(1.2, 2) * 2 * 64 * 1800 * 32 / 1e14);
    assert_near(p.term[SPMMI_TERM_ISSUE],
                2.5 * busy(1.2, 2) * (1800 * (10 + 4 + 10 + 2 + 24) + 8 * (24 * 130 + 24 * 300)) / 3.2e10);
    /* Cut at 3 steps, the row block is like the others: two thread blocks per SM with two stages, and no last
     * wave slows them down. Its four parts are added up, 8 rows of 64 at a time. */
    f = (struct spmmi_model_tcblocks){.counts = &few, .items = 20, .item_size = 3, .partials = 4};
    p = predict_tcblocks(&f, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_TF32, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ALU], (1 + 0.5 / 2) * 2.0 * 64 * 1800 * 32 / 1e14);
    assert_near(p.term[SPMMI_TERM_CONVERT], 8 * (2 + 4 * 0.15) * 1e-6);
    assert_true(p.launches == 1);
}

/* 1,000 rows in 16 block-row groups with 200 block columns in all, or in 8 groups with 150. Half of the
 * blocks that 4 block rows could have exist, and a third of the blocks that 8 could have. */
static void bcsr_terms_are_as_counted(void **state)
{
    (void)state;
    struct spmmi_model_tcblocks f = {.counts = &groups_of_64, .items = 16, .item_size = 32};
    /* 32 columns of f32 are one tile. B has 500 rows of 128 bytes, all of which the L2 cache keeps. */
    struct spmmi_prediction p =
        predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_TF32, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double a = 400 * 512 + 50 * 24, b = 500 * 128, c = 1000 * 128, stored = 1600 * 128 + 400 * 512;
    assert_near(p.term[SPMMI_TERM_DRAM], (a + b + c) / 1e12);
    /* Storing C costs ten times its bytes in addition. */
    assert_near(p.term[SPMMI_TERM_L2], 1600 * 128 / 4e12 + (a + 11 * c) / 4e12);
    /* 16 block-row groups on 10 SMs: an SM with two groups has 1.25 times the mean work. A warp reads each of
     * its blocks, and 8 rows of B for each. */
    const double uneven = 2 / 1.6;
    assert_near(p.term[SPMMI_TERM_L1], uneven * (stored + 400 * (512 + 8 * 128)) / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], uneven * 2.0 * 128 * 400 * 32 / 1e14);
    /* A block: 20 instructions, 1 load of A and 2 of B, 4 MMAs, rounding of 4 values of A and 8 of B. Copying
     * 512 bytes of B: 6. A step: 40 for each of 4 warps and of 2 warps that copy. */
    assert_near(p.term[SPMMI_TERM_ISSUE], uneven * (400 * 39 + 1600 * 128 / 512 * 6 + 50 * 6 * 40) / 3.2e10);
    /* Four stages of 32 * 160 bytes and 12 blocks of 16 leave room for one thread block per SM: 1.6 waves. A
     * step loads 32 rows of 128 bytes. A warp has 2 blocks per step, of four MMAs each. */
    const double step = 0.4 + 4 * 0.05 + 2 * 4 * 0.003;
    assert_near(p.term[SPMMI_TERM_WAVES], 1.6 * (1 + step * 50 / 16) * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + step * 5) * 1e-6);
    assert_true(p.term[SPMMI_TERM_CONVERT] == 0 && p.launches == 0);
    /* 100 columns of f64 are two tiles of 64. In each of them two warps read the same block of A. */
    struct spmmi_tcblock_counts tall = groups_of_64;
    tall.unit_rows = 128;
    tall.units = 8;
    tall.working_set = 1200;
    tall.steps = 37.5;
    f.counts = &tall;
    f.items = 8;
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_F64, 100, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F64);
    assert_near(p.term[SPMMI_TERM_L1],
                uneven * 2 * (1200 * 512 + 400 * 1024 + 400 * (2 * 1024 + 8 * 512.0)) / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], uneven * 2.0 * 128 * 400 * 128 / 4e13);
    /* 32 rows of 512 bytes. A third of 8 block rows have a block, with four MMAs per warp that count
     * twice. */
    const double filled = 400 / (37.5 * 4 * 8), both = 0.4 + 16 * 0.05 + 4 * filled * 4 * 2 * 0.003;
    assert_near(p.term[SPMMI_TERM_LONGEST], (1 + both * 5) * 1e-6);
    /* 100 columns of f32 are two tiles of 64 for tall groups, each with 256 bytes of a row of B. */
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_3XTF32, 100, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L2], (1200 * 512 + 2 * (400 * 512 + 37.5 * 24) + 11 * 1000 * 400) / 4e12);
}

/* Warpgroups of 3xtf32: if SMs would be idle, several thread blocks share the steps of an item. */
static void shares_of_an_item_are_as_counted(void **state)
{
    static const struct {
        double blocks, steps, multiprocessors;
        uint32_t most, shares;
    } cases[] = {{32, 16, 132, 8, 3}, {64, 16, 132, 8, 2}, {66, 16, 132, 8, 2}, {67, 16, 132, 8, 1},
                 {16, 64, 132, 8, 6}, {8, 64, 132, 8, 8},  {28, 16, 132, 8, 4}, {1, 100, 132, 8, 8},
                 {8, 12, 132, 8, 6},  {1, 3, 132, 8, 1},   {1, 100, 132, 7, 6}, {1, 100, 132, 5, 4},
                 {1, 100, 132, 2, 2}, {1, 100, 132, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            spmmi_bcsr_shares(cases[i].blocks, cases[i].steps, cases[i].multiprocessors, cases[i].most),
            cases[i].shares);
    /* 4 items and one tile on 10 multiprocessors: two shares, whose sums are added. Half of the blocks exist, so
     * half groups are multiplied, whose terms are 1.2 times as long. */
    struct spmmi_model_tcblocks f = {.counts = &groups_of_64, .items = 4, .item_size = 32};
    struct spmmi_prediction p =
        predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_3XTF32, 100, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double step = 0.75 * (0.4 + 16 * 0.05 + 4 * sqrt(0.5) * 8 * 3 * 0.003 / 1.5);
    assert_near(p.term[SPMMI_TERM_WAVES], 1.2 * (1 + 2 + step / 2 * 50 / 4) * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 1.2 * (1 + 2 + step / 2 * 5) * 1e-6);
    f.has_long_rows = 1; /* another kernel runs at the same time */
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_3XTF32, 100, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_LONGEST], 1.2 * (1 + step * 5) * 1e-6);
}

static void bcsr_terms_of_16_bit_values_are_as_counted(void **state)
{
    (void)state;
    /* 8 columns of f16, blocks of 16 x 16: five stages, and fewer block-row groups than SMs. */
    struct spmmi_tcblock_counts wide = groups_of_64;
    struct spmmi_model_tcblocks f = {.counts = &wide, .items = 8, .item_size = 32};
    struct spmmi_prediction p;
    const double uneven = 2 / 1.6;
    wide.step_columns = 64;
    wide.positions = 256;
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_F16, 8, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F16);
    assert_near(p.term[SPMMI_TERM_ALU], uneven * 2.0 * 256 * 400 * 8 / 2e14);
    assert_near(p.term[SPMMI_TERM_L1], uneven * (1600 * 16 + 400 * 512 + 400 * (512 + 16 * 16)) / 8e12);
    assert_near(p.term[SPMMI_TERM_WAVES], (1 + (0.4 + 0.05 + 2 * 0.003) * 50 / 8) * 1e-6);
    /* 64 columns by warpgroups: four warps read B once for 4 block rows, in all positions of a step, half of
     * which have no block. Each warp has 20 instructions and a load of A for a block that exists. */
    p = predict_tcblocks(&f, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_F16, 64, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F16);
    assert_near(p.term[SPMMI_TERM_L1], uneven * (1600 * 128 + 400 * 512 + 400 * 512 + 50 * 64 * 128) / 8e12);
    assert_near(p.term[SPMMI_TERM_ALU], uneven * 2.0 * 256 * 800 * 64 / 2e14);
    assert_near(p.term[SPMMI_TERM_ISSUE], uneven * (400 * 21 + 1600 * 128 / 512 * 6 + 50 * 6 * 40) / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], (1 + (0.4 + 8 * 0.05 + 4 * 8 * 0.003) * 50 / 8) * 1e-6);
    /* Without warpgroups a warp has two of 4 block rows and reads B once if both have the block column. Two
     * such warps share the tile. */
    struct spmmi_device_profile ampere = device;
    ampere.target = 80;
    const struct spmmi_model_matrix m = matrix_of_windows();
    const struct spmmi_model_candidate candidate = {.family = SPMM_FAMILY_BCSR,
                                                    .schedule = SPMM_SCHEDULE_DENSE,
                                                    .metrics = &f,
                                                    .compute = SPMM_COMPUTE_F16};
    p = spmmi_predict(&ampere, &m, &candidate, 128, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F16);
    const double reads = 1 - 0.5 / 2;
    assert_near(p.term[SPMMI_TERM_L1],
                uneven * (1600 * 256 + 400 * 512 + 400 * (2 * 512 + reads * 16 * 256)) / 8e12);
    assert_near(p.term[SPMMI_TERM_ISSUE], uneven *
                                              (400 * (2 * 20 + (2 * 512 + reads * 16 * 256) / 512 + 16) +
                                               1600 * 256 / 512 * 6 + 50 * 6 * 40) /
                                              3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], (1 + (0.4 + 16 * 0.05 + 4 * 0.5 * 2 * 8 * 0.003) * 50 / 8) * 1e-6);
}

static void constants_follow_family_and_compute_type(void **state)
{
    static const struct {
        spmm_family_t family;
        spmm_schedule_t schedule;
        spmm_compute_t compute;
        spmm_dtype_t dtype;
        const char *kernel;
        enum spmmi_model_type type;
    } cases[] = {
        {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_ROW_SPLIT, SPMM_COMPUTE_F32, SPMM_F32, "row-split", SPMMI_MODEL_F32},
        {SPMM_FAMILY_ROWS, SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_COMPUTE_F64, SPMM_F64, "nonzero-split",
         SPMMI_MODEL_F64},
        {SPMM_FAMILY_TILED, SPMM_SCHEDULE_SEGMENTED, SPMM_COMPUTE_BF16, SPMM_BF16, "tiled", SPMMI_MODEL_F16},
        {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_TF32, SPMM_F32, "window", SPMMI_MODEL_TF32},
        {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_BF16, SPMM_BF16, "window", SPMMI_MODEL_F16},
        {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_3XTF32, SPMM_F32, "panel", SPMMI_MODEL_3XTF32},
        {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, SPMM_COMPUTE_F64, SPMM_F64, "panel", SPMMI_MODEL_F64},
        {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, SPMM_COMPUTE_F16, SPMM_F16, "bcsr", SPMMI_MODEL_F16},
    };
    (void)state;
    struct spmmi_device_profile h200;
    assert_int_equal(spmmi_device_profile_open("h200", &h200, NULL), SPMM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum spmmi_model_type type =
            spmmi_model_type_of(cases[i].family, cases[i].compute, cases[i].dtype);
        const int kernel = spmmi_profile_kernel(&h200, cases[i].family, cases[i].schedule, type);
        assert_string_equal(spmmi_profile_name(kernel), cases[i].kernel);
        assert_int_equal(type, cases[i].type);
    }
}

static void the_tile_of_registers_grows_until_threads_are_few(void **state)
{
    /* n, units, type, R. 512 threads on each of 132 multiprocessors are 67,584. */
    static const int cases[][4] = {
        {1, MANY_UNITS, SPMM_F32, 1}, {3, MANY_UNITS, SPMM_F32, 4},  {17, MANY_UNITS, SPMM_F32, 16},
        {9, MANY_UNITS, SPMM_F64, 8}, {64, MANY_UNITS, SPMM_F64, 8}, {64, MANY_UNITS, SPMM_BF16, 16},
        {32, 2112, SPMM_F32, 1},      {32, 2113, SPMM_F32, 2},       {128, 2112, SPMM_F32, 4},
        {128, 4225, SPMM_F32, 16},    {1, 67585, SPMM_F32, 1},       {8, 67585, SPMM_F32, 8}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            spmmi_model_register_tile(cases[i][0], (uint64_t)cases[i][1], (spmm_dtype_t)cases[i][2], 132),
            cases[i][3]);
}

/* The scratch has 32 MB: 8,388,608 values of four bytes. */
static void small_matrices_take_wide_passes(void **state)
{
    (void)state;
    assert_int_equal(spmmi_pass_columns(300, 1500, 4, 128), 300);
    assert_int_equal(spmmi_pass_columns(10000, 1500, 4, 128), 5504); /* 5,592 fit */
    assert_int_equal(spmmi_pass_columns(300, 1000000, 4, 128), 128);
    assert_int_equal(spmmi_pass_columns(100000, 100, 4, 128), SPMMI_PASS_MAX);
    assert_int_equal(spmmi_pass_columns(7, 0, 4, 128), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_terms_of_column_major_are_as_counted),
        cmocka_unit_test(tiled_terms_of_row_major_and_f64_are_as_counted),
        cmocka_unit_test(what_a_small_cache_forgets_comes_again_from_dram),
        cmocka_unit_test(rows_that_are_cut_add_sums_and_a_launch),
        cmocka_unit_test(a_panel_of_two_stages_needs_twice_the_shared_memory),
        cmocka_unit_test(row_split_terms_are_as_counted),
        cmocka_unit_test(nonzero_split_terms_are_as_counted),
        cmocka_unit_test(terms_of_a_cpu_are_as_counted),
        cmocka_unit_test(window_terms_are_as_counted),
        cmocka_unit_test(panel_terms_are_as_counted),
        cmocka_unit_test(a_long_panel_keeps_its_multiprocessor_busy),
        cmocka_unit_test(bcsr_terms_are_as_counted),
        cmocka_unit_test(shares_of_an_item_are_as_counted),
        cmocka_unit_test(bcsr_terms_of_16_bit_values_are_as_counted),
        cmocka_unit_test(constants_follow_family_and_compute_type),
        cmocka_unit_test(the_tile_of_registers_grows_until_threads_are_few),
        cmocka_unit_test(small_matrices_take_wide_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
