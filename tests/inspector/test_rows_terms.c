/* SPDX-License-Identifier: Apache-2.0 */
/* Checks terms of the rows family beyond those for one tile of f32 (test_model_terms.c), worked out by hand:
 * several tiles, other types, groups that share rows, few columns, and what the caches keep
 * (docs/model.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "model_fixture.h"

/* Mean wait of a step in us: the L1 cache has 0.95 of the rows of B, DRAM the rest. */
#define STEP (0.5 * 0.95 + 2 * 0.05)

enum split { ROW_SPLIT, NONZERO_SPLIT };

static struct spmmi_prediction predict_on(const struct spmmi_device_profile *d,
                                          const struct spmmi_model_matrix *m, enum split split, int64_t n,
                                          uint32_t layout, spmm_dtype_t dtype)
{
    const struct spmmi_model_candidate c = {.family = SPMM_FAMILY_ROWS,
                                            .schedule = split == ROW_SPLIT ? SPMM_SCHEDULE_ROW_SPLIT
                                                                           : SPMM_SCHEDULE_NONZERO_SPLIT};
    return spmmi_predict(d, m, &c, n, layout, dtype);
}

static struct spmmi_prediction by_rows(const struct spmmi_model_matrix *m, enum split split, int64_t n,
                                       spmm_dtype_t dtype)
{
    return predict_on(&device, m, split, n, SPMM_LAYOUTS_ROW_MAJOR, dtype);
}

static struct spmmi_prediction by_columns(const struct spmmi_model_matrix *m, enum split split, int64_t n,
                                          spmm_dtype_t dtype)
{
    return predict_on(&device, m, split, n, SPMM_LAYOUTS_COL_MAJOR, dtype);
}

/* Returns 1,000 items, each a row of three steps. */
static struct spmmi_model_matrix matrix_of_items(void)
{
    struct spmmi_model_matrix m = matrix_of_windows();
    m.items = 1000;
    m.item_longest = 3;
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++)
        m.item_steps[i] = ceil(ldexp(1000, -i)) * 3;
    return m;
}

/* Sets the reuse distances: no reuse within 2^(first - 1) nonzeros, and 0.95 of all nonzeros reuse within
 * 2^first. */
static void forget(struct spmmi_model_matrix *m, int first)
{
    for (int b = 0; b < SPMMI_REUSE_BINS; b++)
        m->by_rows.near[b] = m->side_by_side.near[b] = b < first ? 0 : 0.95;
}

/* Two tiles of 128 columns of f32, or of 64 columns of f64. An item occupies a warp. */
static void tiles_are_walked_one_after_the_other(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_prediction p = by_rows(&m, ROW_SPLIT, 256, SPMM_F32);
    (void)state;
    assert_near(p.term[SPMMI_TERM_DRAM], (61250 + 0.05 * 10000 * 1024 + 1000 * 1024) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], (0.05 * 10000 * 1024 + 2 * 61250 + 1000 * 1024) / 4e12);
    assert_near(p.term[SPMMI_TERM_L1], 2 * 3000 * (2 * 64 + 4 * 512) / 5e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 10000 * 256 / 2e13);
    assert_near(p.term[SPMMI_TERM_ISSUE], 2 * 3000 * 40 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], STEP * 2 * 375 / 50 * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 3e-6);
    p = by_rows(&m, ROW_SPLIT, 128, SPMM_F64); /* four thread blocks per multiprocessor */
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 10000 * 128 / 1e13);
    assert_near(p.term[SPMMI_TERM_ISSUE], 2 * 3000 * 32 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], STEP * 2 * 375 / 40 * 1e-6);
    p = by_rows(&m, ROW_SPLIT, 128, SPMM_F16); /* 16 lanes with eight values; steps wait equally long */
    assert_near(p.term[SPMMI_TERM_ISSUE], 1500 * 56 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], 63 * 3 / 40.0 * 1e-6);
}

/* A is read again for each tile if the L2 cache does not hold it. B is read again only if the cache does not
 * hold the part of B for all tiles. */
static void what_the_l2_cache_holds_is_read_once(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_prediction p = by_columns(&m, ROW_SPLIT, 256, SPMM_F32);
    (void)state;
    assert_near(p.term[SPMMI_TERM_DRAM], (61250 + 1000 * 1024) / 1e12); /* 512,000 bytes of B */
    p = by_columns(&m, ROW_SPLIT, 1024, SPMM_F32);                      /* four times as many */
    assert_near(p.term[SPMMI_TERM_DRAM], (61250 + 0.05 * 10000 * 4096 + 1000 * 4096) / 1e12);
    forget(&m, 0);
    m.nnz = 200000;
    m.longest = 200;
    p = by_rows(&m, ROW_SPLIT, 256, SPMM_F32); /* 1,225,000 bytes of A */
    assert_near(p.term[SPMMI_TERM_DRAM], (2 * 1225000 + 0.05 * 200000 * 1024 + 1000 * 1024) / 1e12);
    m.cols = 65536; /* the most columns with narrow indices */
    p = by_rows(&m, ROW_SPLIT, 128, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_DRAM], (1225000 + 0.05 * 200000 * 512 + 1000 * 512) / 1e12);
}

/* A and C take cache as well: w nonzeros load 500 rows of B of 128 bytes, and 6.125 + 12.8 bytes each for A
 * and C. */
static void a_and_c_take_room_in_the_l2_cache(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_device_profile small = device;
    (void)state;
    for (int b = 0; b < SPMMI_REUSE_BINS; b++)
        m.by_rows.near[b] = m.side_by_side.near[b] = 0.05 * b;
    small.l2_bytes = 600 * 128 / 0.7;
    const struct spmmi_prediction p = predict_on(&small, &m, ROW_SPLIT, 32, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    const double at = log2((600 - 500) * 128 / (6.125 + 12.8));
    assert_near(p.l2_share, 0.05 * at);
}

/* Rows of B of 512 bytes in 256,000 bytes are gathered at 7e11. A and C stream at 1e12, as rows of 512 bytes
 * in half the cache. */
static void streams_have_the_rate_of_half_the_cache(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_device_profile d = device;
    (void)state;
    d.gather = (struct spmmi_profile_table){.row_count = 2,
                                            .set_count = 4,
                                            .row_bytes = {512, 513},
                                            .set_bytes = {1000, 256000, 524288, 1048576},
                                            .rate = {{5e11, 5e11}, {7e11, 9e11}, {1e12, 2e12}, {3e12, 3e12}}};
    const struct spmmi_prediction p = predict_on(&d, &m, ROW_SPLIT, 128, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L2], 0.05 * 10000 * 512 / 7e11 + (61250 + 512000) / 1e12);
}

/* ---- Groups that share rows ---- */

/* Four lanes share a row. Each is a group, and the ends of a row take four more steps. Lanes that load less
 * than 16 bytes are faster. */
static void teams_of_lanes_are_as_counted(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    m.longest = 17; /* not short: four groups share a row */
    for (int64_t n = 2; n <= 4; n += 2) {
        const struct spmmi_prediction p = by_rows(&m, ROW_SPLIT, n, SPMM_F32);
        assert_int_equal(p.is_shared, 1);
        assert_near(p.term[SPMMI_TERM_L1], 125 * 3 / 4.0 * 32 * (4 * 8 + 4 * 24) / 5e12);
        assert_near(p.term[SPMMI_TERM_WAVES],
                    (n == 2 ? 0.5 : 1) * (16 * 3 / 4.0 + 4 * 1000 * 4 / 256.0) / 50 * 1e-6);
        assert_near(p.term[SPMMI_TERM_LONGEST], 0.75e-6);
    }
}

/* Each short row is one lane's: 0.75 of the terms of a team of one group. */
static void short_rows_are_teams_of_one_group(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    for (int64_t n = 2; n <= 4; n += 2) {
        const struct spmmi_prediction p = by_rows(&m, ROW_SPLIT, n, SPMM_F32);
        assert_int_equal(p.is_shared, 1);
        assert_near(p.term[SPMMI_TERM_L1], 0.75 * 32 * 3 * 32 * (4 * 8 + 4 * 24) / 5e12);
        assert_near(p.term[SPMMI_TERM_WAVES],
                    0.75 * (n == 2 ? 0.5 : 1) * (4 * 3 + 4 * 1000 / 256.0) / 50 * 1e-6);
        assert_near(p.term[SPMMI_TERM_LONGEST], 0.75 * 3e-6);
    }
}

/* 20 rows of 500 nonzeros: eight warps, a whole thread block, share a row. */
static void teams_of_warps_are_as_counted(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    m.rows = m.rows_used = m.items = 20;
    m.longest = 500;
    m.item_longest = 125;
    for (int i = 0; i < SPMMI_STEP_LEVELS; i++)
        m.item_steps[i] = ceil(ldexp(20, -i)) * 125;
    struct spmmi_prediction p = by_rows(&m, ROW_SPLIT, 128, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_ISSUE], 20 * 125 * 40 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], (20 * 125 / 8.0 + 4 * 20) / 50 * 1e-6);
    assert_near(p.term[SPMMI_TERM_LONGEST], 125 / 8.0 * 1e-6);
    p = by_columns(&m, ROW_SPLIT, 32, SPMM_F32); /* a warp has one row: a sector per value */
    assert_near(p.term[SPMMI_TERM_L2], 0.05 * 1280000 / 4e12 + (61250 + 20 * 32 * 32) / 4e12);
    m.rows = m.rows_used = m.items = 40000; /* too many sectors */
    m.longest = 5000;
    p = by_columns(&m, ROW_SPLIT, 32, SPMM_F32);
    assert_int_equal(p.is_shared, 1);
    assert_true(p.launches == 2);
}

/* ---- Column-major C ---- */

/* Single values of C are stored at the rate of a scatter, 5e11. Teams store sectors, which the rows of a warp
 * share. Row-major C streams. */
static void stores_are_of_values_or_sectors(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_prediction p = by_columns(&m, NONZERO_SPLIT, 16, SPMM_F32);
    (void)state;
    assert_near(p.term[SPMMI_TERM_L2], 0.025 * 640000 / 2e12 + 61250 / 4e12 + 16000 * 4 / 5e11);
    assert_near(p.term[SPMMI_TERM_CONVERT], 2 * 500 * 16 * 4 / 1e12);
    assert_true(p.launches == 1);
    p = by_rows(&m, NONZERO_SPLIT, 16, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L2], 0.025 * 640000 / 2e12 + (61250 + 16000 * 4) / 4e12);
    p = by_columns(&m, ROW_SPLIT, 4, SPMM_F32);
    assert_near(p.term[SPMMI_TERM_L2], 0.05 * 320000 / 2e12 + (61250 + 4000 * 32 / 8) / 4e12);
    m.nnz = 1000; /* one lane per row */
    m.longest = 1;
    p = by_columns(&m, ROW_SPLIT, 4, SPMM_F32);
    assert_true(p.launches == 1);
    assert_near(p.term[SPMMI_TERM_L2], 0.05 * 32000 / 2e12 + (6125 + 4000 * 32 / 8) / 4e12);
}

/* The scratch of 32 MB holds for 1,500 rows 5,376 columns of f32, 2,560 of f64 or 11,008 of f16. f64 stores C
 * as it is, so a pass has one kernel less. */
static void passes_are_launched_one_after_the_other(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    for (int split = 0; split < 2; split++) {
        assert_true(by_columns(&m, (enum split)split, 20000, SPMM_F32).launches == 4 * 3 - 1);
        assert_true(by_columns(&m, (enum split)split, 20000, SPMM_F64).launches == 8 * 2 - 1);
        assert_true(by_columns(&m, (enum split)split, 20000, SPMM_F16).launches == 2 * 3 - 1);
        assert_true(by_rows(&m, (enum split)split, 20000, SPMM_F32).launches == 0);
    }
}

/* Four tiles of 32 columns of f64, for 16 lanes. Thread blocks of a nonzero split have 256 nonzeros, four
 * steps and two more. A row split keeps column-major C only if no row is empty. A nonzero split may have
 * empty rows. */
static void kept_columns_are_walked_by_tiles_of_32(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_device_profile any = device;
    struct spmmi_prediction p = by_columns(&m, ROW_SPLIT, 128, SPMM_F64);
    (void)state;
    assert_near(p.term[SPMMI_TERM_ISSUE], 4 * 1500 * 32 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], STEP * 4 * 63 * 3 / 40 * 1e-6);
    p = by_columns(&m, NONZERO_SPLIT, 128, SPMM_F64);
    assert_near(p.term[SPMMI_TERM_WAVES], STEP * 4 * 40 * 6 / 40 * 1e-6);
    assert_true(p.launches == 1);
    any.target = SPMMI_TARGET_ANY;
    assert_true(predict_on(&any, &m, ROW_SPLIT, 128, SPMM_LAYOUTS_COL_MAJOR, SPMM_F64).launches == 1);
    m.rows_used = 999;
    assert_true(by_columns(&m, ROW_SPLIT, 128, SPMM_F64).launches == 2);
    assert_true(by_columns(&m, NONZERO_SPLIT, 128, SPMM_F64).launches == 1);
}

/* ---- Nonzero split ---- */

/* Seven columns take four lanes with two values each. */
static void few_columns_are_as_counted(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_items();
    struct spmmi_prediction p = by_rows(&m, NONZERO_SPLIT, 7, SPMM_F32);
    (void)state;
    assert_near(p.term[SPMMI_TERM_L1], 2500 * (4 * 8 + 4 * 28) / 5e12);
    assert_near(p.term[SPMMI_TERM_ISSUE], 2500 * 4 / 32.0 * 32 / 3.2e10);
    assert_near(p.term[SPMMI_TERM_WAVES], 10000 * 4 / 1024.0 / 50 * 1e-6);
    assert_near(p.term[SPMMI_TERM_L2], 3.5 * 0.05 * 320000 / 2e12 + (61250 + 32000) / 4e12);
    p = by_rows(&m, NONZERO_SPLIT, 7, SPMM_F64); /* four thread blocks per multiprocessor */
    assert_near(p.term[SPMMI_TERM_WAVES], 10000 * 4 / 1024.0 / 40 * 1e-6);
    p = by_rows(&m, NONZERO_SPLIT, 1, SPMM_F64); /* five thread blocks */
    assert_near(p.term[SPMMI_TERM_WAVES], 10000 / 1024.0 / 50 * 1e-6);
    p = by_rows(&m, NONZERO_SPLIT, 16, SPMM_F32); /* not a few columns */
    assert_near(p.term[SPMMI_TERM_L1], 2500 * (2 * 64 + 4 * 64) / 5e12);
}

/* 400 thread blocks are eight waves for two columns. On average they hold 0.85 of 1,024 nonzeros. */
static void many_blocks_are_not_staged(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    m.nnz = 348000;
    assert_near(by_rows(&m, NONZERO_SPLIT, 2, SPMM_F32).term[SPMMI_TERM_L1], 87000 * (32 + 4 * 24) / 5e12);
    m.nnz = 350000;
    assert_near(by_rows(&m, NONZERO_SPLIT, 2, SPMM_F32).term[SPMMI_TERM_L1], 87500 * (128 + 4 * 64) / 5e12);
}

/* A row longer than a thread block, here by half, is summed from slots. */
static void rows_longer_than_a_block_wait_for_its_slots(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    m.longest = 200;
    assert_near(by_rows(&m, NONZERO_SPLIT, 32, SPMM_F32).term[SPMMI_TERM_LONGEST], 4e-6);
    m.longest = 300;
    assert_near(by_rows(&m, NONZERO_SPLIT, 32, SPMM_F32).term[SPMMI_TERM_LONGEST],
                (4 + 4 + 1.5 * 8 / 256) * 1e-6);
}

/* 716 rows of B and C of 1,024 bytes are 0.7 of the cache. Up to this size two tiles form one wave, with
 * groups of 64 instead of 32. One tile alone does not. */
static void tiles_of_one_wave_have_longer_groups(void **state)
{
    static const struct {
        double rows, cols;
        int64_t n;
        double group;
    } cases[] = {{300, 400, 256, 64}, {420, 300, 256, 32}, {300, 400, 128, 32}};
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        m.rows = m.rows_used = cases[i].rows;
        m.cols = m.cols_used = cases[i].cols;
        assert_near(by_rows(&m, NONZERO_SPLIT, cases[i].n, SPMM_F32).term[SPMMI_TERM_LONGEST],
                    (cases[i].group / 4 + 2) * 1e-6);
    }
}

/* ---- The L1 cache ---- */

/* Thread blocks of a row split are consecutive, and so are those for few columns. Other thread blocks of a
 * nonzero split start far apart. */
static void only_a_nonzero_split_begins_apart(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    for (int b = 0; b < SPMMI_REUSE_BINS; b++)
        m.side_by_side.near[b] = 0;
    assert_near(by_rows(&m, ROW_SPLIT, 32, SPMM_F32).l2_share, 0.95);
    assert_near(by_rows(&m, NONZERO_SPLIT, 1, SPMM_F32).l2_share, 0.95);
    assert_true(by_rows(&m, NONZERO_SPLIT, 32, SPMM_F32).l2_share == 0);
}

/* A thread block has as many items as groups: 320 nonzeros for 32 columns, 640 for one column, where four
 * lanes share a row. */
static void a_block_finds_what_it_read(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    forget(&m, 9);
    assert_near(by_rows(&m, ROW_SPLIT, 32, SPMM_F32).l1_share, 0.95 * (log2(320) - 8));
    assert_true(by_rows(&m, ROW_SPLIT, 64, SPMM_F32).l1_share == 0);
    forget(&m, 10);
    m.cols_used = 20000; /* too many for the L1 cache */
    assert_near(by_rows(&m, ROW_SPLIT, 1, SPMM_F32).l1_share, 0.95 * (log2(640) - 9));
}

/* If all of B fits the L1 cache, each of ten multiprocessors misses each sector once. */
static void few_columns_stay_in_the_l1_cache(void **state)
{
    struct spmmi_model_matrix m = matrix_of_items();
    (void)state;
    forget(&m, 14);
    assert_near(by_rows(&m, NONZERO_SPLIT, 1, SPMM_F32).l1_share, 1 - 2000 / 32.0 / 1000);
    assert_near(by_rows(&m, NONZERO_SPLIT, 4, SPMM_F32).l1_share, 1 - 8000 / 32.0 / 1000);
    assert_near(by_rows(&m, NONZERO_SPLIT, 7, SPMM_F64).l1_share, 1 - 28000 / 32.0 / 1750);
    assert_near(by_rows(&m, ROW_SPLIT, 1, SPMM_F32).l1_share, 1 - 2000 / 32.0 / 1000);
    assert_true(by_rows(&m, ROW_SPLIT, 2, SPMM_F32).l1_share == 0);
    assert_true(by_rows(&m, NONZERO_SPLIT, 16, SPMM_F32).l1_share == 0);
    m.nnz = 40000; /* 45,875 bytes fit */
    m.cols_used = 11000;
    assert_near(by_rows(&m, NONZERO_SPLIT, 1, SPMM_F32).l1_share, 1 - 44000 / 32.0 / 4000);
    m.cols_used = 12000;
    assert_true(by_rows(&m, NONZERO_SPLIT, 1, SPMM_F32).l1_share == 0);
}

/* ---- CPU ---- */

/* 40 columns of f64 are 320 bytes, five cache lines. Of the caches 0.7 are used: 143 and 287 rows of B. */
static void caches_of_a_cpu_hold_windows(void **state)
{
    const struct spmmi_model_matrix m = matrix_of_windows();
    struct spmmi_device_profile cpu = device;
    (void)state;
    cpu.target = SPMMI_TARGET_CPU;
    cpu.l1_bytes = 143 * 320 / 0.7;
    cpu.l2_bytes = 287 * 320 / 0.7;
    const struct spmmi_prediction p =
        predict_on(&cpu, &m, NONZERO_SPLIT, 40, SPMM_LAYOUTS_ROW_MAJOR, SPMM_F64);
    /* A window of 32 nonzeros has 32 columns, a window of 64 has 500. */
    const double l1 = 0.95 * log2(1 + (143 - 32) / 468.0), l2 = 0.95 * log2(1 + (287 - 32) / 468.0);
    assert_near(p.l1_share, l1);
    assert_near(p.l2_share, l2);
    assert_near(p.term[SPMMI_TERM_DRAM], (120000 + (1 - l2) * 3200000 + 320000) / 1e12);
    assert_near(p.term[SPMMI_TERM_L2], (1 - l1) * 3200000 / 4e12);
    assert_near(p.term[SPMMI_TERM_ALU], 2.0 * 10000 * 40 / 1e13);
    assert_true(p.term[SPMMI_TERM_LONGEST] == 0 && p.term[SPMMI_TERM_CONVERT] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_walked_one_after_the_other),
        cmocka_unit_test(what_the_l2_cache_holds_is_read_once),
        cmocka_unit_test(a_and_c_take_room_in_the_l2_cache),
        cmocka_unit_test(streams_have_the_rate_of_half_the_cache),
        cmocka_unit_test(teams_of_lanes_are_as_counted),
        cmocka_unit_test(short_rows_are_teams_of_one_group),
        cmocka_unit_test(teams_of_warps_are_as_counted),
        cmocka_unit_test(stores_are_of_values_or_sectors),
        cmocka_unit_test(passes_are_launched_one_after_the_other),
        cmocka_unit_test(kept_columns_are_walked_by_tiles_of_32),
        cmocka_unit_test(few_columns_are_as_counted),
        cmocka_unit_test(many_blocks_are_not_staged),
        cmocka_unit_test(rows_longer_than_a_block_wait_for_its_slots),
        cmocka_unit_test(tiles_of_one_wave_have_longer_groups),
        cmocka_unit_test(only_a_nonzero_split_begins_apart),
        cmocka_unit_test(a_block_finds_what_it_read),
        cmocka_unit_test(few_columns_stay_in_the_l1_cache),
        cmocka_unit_test(caches_of_a_cpu_hold_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
