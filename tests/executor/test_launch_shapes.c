/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of launches for all n up to 600, compared with the rules that each launch had before the rules
 * moved to shared functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/bcsr/bcsr_shape.h"
#include "kernels/panel/panel_shape.h"
#include "kernels/rows/rows_columns_shape.h"
#include "kernels/shared/arrival.h"
#include "kernels/tiled/tiled_shape.h"
#include "kernels/window/window_shape.h"

#define N_MAX 600u
#define HOPPER_SHARED (227u * 1024u)
#define ADA_SHARED (99u * 1024u)
#define MULTIPROCESSORS 132

static const uint32_t sizes[] = {2, 4, 8};
static const uint32_t heights[] = {64, 128};

/* ends: per value size, the largest n with tiles of half width, and the largest n with one repeat. */
static void test_window(void **state)
{
    static const uint32_t ends[3][2] = {{32, 64}, {16, 32}, {16, 16}};
    static const uint32_t whole[3] = {8, 4, 2}, half[3] = {4, 2, 2};
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (uint32_t n = 1; n <= N_MAX; n++) {
            const struct spmmi_window_shape narrow = spmmi_window_launch(n, sizes[i], 0);
            const struct spmmi_window_shape s = spmmi_window_launch(n, sizes[i], 1);
            const int is_half = n <= ends[i][0], is_once = n <= ends[i][1];
            assert_int_equal(narrow.width * 100 + narrow.repeat * 10 + narrow.unroll, half[i] * 100 + 11);
            assert_int_equal(narrow.is_wide, 0);
            assert_int_equal(s.width, is_half ? half[i] : whole[i]);
            assert_int_equal(s.repeat, is_once ? 1 : 2);
            assert_int_equal(s.unroll, is_once ? 2 : 1);
            assert_int_equal(s.columns, 8 * s.width * s.repeat);
        }
    }
}

static uint32_t old_panel_stage(uint32_t columns, const struct spmmi_panel_load *load)
{
    const uint32_t size = load->value_bytes;
    const uint32_t pitch = columns + (32 - columns * size % 128 + 128) % 128 / size;
    const uint32_t values = load->is_packed ? load->step_values : 64 * load->step_blocks;
    return 128 * pitch * size + (values * size + 15) / 16 * 16 +
           load->step_blocks * (load->is_packed ? 20 : 8);
}

static uint32_t old_panel_columns(const struct spmmi_panel_load *load, uint32_t n, uint32_t shared_max)
{
    const uint32_t pairs = load->value_bytes == 8 ? 1 : 2;
    const int has_few =
        pairs == 2 && load->blocks < 8 * load->windows * load->steps && load->items < 4 * MULTIPROCESSORS;
    if (n >= 64 * pairs && !has_few && old_panel_stage(64 * pairs, load) <= shared_max)
        return 64 * pairs;
    if (n > 16 * pairs && old_panel_stage(32 * pairs, load) <= shared_max)
        return 32 * pairs;
    return 16 * pairs;
}

/* Returns 2 if two stages pay (docs/decisions/0104), otherwise 1. */
static uint32_t panel_stages(const struct spmmi_panel_load *load, uint32_t n, uint32_t shared_max)
{
    const uint32_t columns = old_panel_columns(load, n, shared_max);
    const uint32_t bytes = 2 * ((old_panel_stage(columns, load) + 8 + 7 + 127) / 128 * 128 + 16);
    const double fit = bytes > shared_max ? 0 : 2 * bytes + 1024 > shared_max ? 1 : 2;
    const double blocks = load->items * ((n + columns - 1) / columns), slots = fit * MULTIPROCESSORS;
    if (load->value_bytes == 8 || load->windows != 8 || columns > 64 || fit < 1)
        return 1;
    if (blocks <= slots)
        return 2;
    const int is_third = blocks > 2 * slots && blocks <= 3 * slots;
    return fit > 1 && load->value_bytes == 4 && n <= columns && (columns == 64 || is_third) ? 2 : 1;
}

static void check_panel(const struct spmmi_panel_load *load, uint32_t shared_max)
{
    for (uint32_t n = 1; n <= N_MAX; n++) {
        const struct spmmi_panel_shape s = spmmi_panel_launch(load, n, 1, shared_max);
        assert_int_equal(s.columns, old_panel_columns(load, n, shared_max));
        assert_int_equal(s.threads, 32 * load->windows);
        assert_int_equal(s.stages, panel_stages(load, n, shared_max));
        assert_int_equal(spmmi_panel_launch(load, n, 0, shared_max).columns,
                         load->value_bytes == 8 ? 16 : 32);
        assert_int_equal(spmmi_panel_launch(load, n, 0, shared_max).stages, 1);
    }
}

static void test_panel(void **state)
{
    static const double items[] = {1, 132, 133, 264, 265, 527, 528, 529, 792, 793};
    (void)state;
    for (uint32_t i = 0; i < 3 * 2 * 2 * 17 * 10; i++) {
        const uint32_t windows = heights[i / 3 % 2] / 8, blocks = i / 12 % 17 * windows;
        const struct spmmi_panel_load load = {.value_bytes = sizes[i % 3],
                                              .items = items[i / (3 * 2 * 2 * 17)],
                                              .multiprocessors = MULTIPROCESSORS,
                                              .windows = windows,
                                              .is_packed = i / 6 % 2,
                                              .blocks = 10.0 * blocks - (i % 2),
                                              .steps = 10,
                                              .step_blocks = blocks,
                                              .step_values = 20 * blocks};
        check_panel(&load, HOPPER_SHARED);
        check_panel(&load, ADA_SHARED);
    }
}

/* Thread blocks per multiprocessor that limit the registers: values of 2, 4, 8 bytes; three tile widths. */
static void test_panel_resident(void **state)
{
    static const uint32_t held[3][3] = {{4, 4, 3}, {4, 4, 2}, {3, 3, 2}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t columns = (sizes[i] == 8 ? 16u : 32u) << k;
            assert_int_equal(spmmi_panel_resident(columns, sizes[i], 8), held[i][k]);
            assert_int_equal(spmmi_panel_resident(columns, sizes[i], 16), held[i][k] / 2);
        }
    }
}

/* down, across, height, tiles, stages. Indices: values of 2, 4, 8 bytes; groups of 64, 128 rows; n up to 8,
 * 16, 32, 64, or more. */
static const uint32_t old_groups[3][2][5][5] = {
    {{{4, 1, 1, 1, 5}, {4, 1, 1, 2, 5}, {4, 1, 1, 4, 4}, {4, 1, 1, 8, 3}, {2, 2, 2, 8, 3}},
     {{8, 1, 1, 1, 5}, {8, 1, 1, 2, 5}, {8, 1, 1, 4, 4}, {8, 1, 1, 8, 3}, {4, 2, 2, 8, 3}}},
    {{{4, 1, 1, 1, 5}, {4, 1, 1, 2, 5}, {4, 1, 1, 4, 4}, {4, 1, 1, 8, 3}, {4, 2, 1, 8, 3}},
     {{8, 1, 1, 1, 5}, {8, 1, 1, 2, 5}, {8, 1, 1, 4, 4}, {8, 1, 1, 8, 3}, {8, 1, 1, 8, 3}}},
    {{{4, 1, 1, 1, 5}, {4, 1, 1, 2, 5}, {4, 2, 1, 2, 4}, {4, 2, 1, 4, 3}, {4, 2, 1, 4, 3}},
     {{8, 1, 1, 1, 5}, {8, 1, 1, 2, 5}, {8, 2, 1, 2, 4}, {8, 2, 1, 4, 3}, {8, 2, 1, 4, 3}}}};

static void check_group(const struct spmmi_bcsr_shape *s, const uint32_t expected[5], uint32_t copiers)
{
    const uint32_t got[5] = {s->down, s->across, s->height, s->tiles, s->stages};
    assert_memory_equal(got, expected, sizeof got);
    assert_int_equal(s->columns, 8 * s->across * s->tiles);
    assert_int_equal(s->threads, 32 * (s->down * s->across + copiers));
}

static uint32_t old_group_bytes(const uint32_t shape[5], uint32_t size, uint32_t blocks)
{
    const uint32_t row = 8 * shape[1] * shape[3] * size, width = size == 2 ? 16 : 8;
    const uint32_t pitch = size == 2 ? (row / 16 | 1) * 16 : row + (32 - row % 128 + 128) % 128;
    return 1024 + shape[4] * ((4 * width * pitch + blocks * 16 * width * size + 15) / 16 * 16);
}

static void test_block_row_groups(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t size = sizes[i / 2], rows = heights[i % 2];
        for (uint32_t n = 1; n <= N_MAX; n++) {
            const uint32_t *const old = old_groups[i / 2][i % 2][n <= 8    ? 0
                                                                 : n <= 16 ? 1
                                                                 : n <= 32 ? 2
                                                                 : n <= 64 ? 3
                                                                           : 4];
            const uint32_t minimum[5] = {rows / 16, 1, 1, 2, 2};
            for (uint32_t blocks = 1; blocks <= rows / 4; blocks++) {
                const int fits = old_group_bytes(old, size, blocks) <= ADA_SHARED;
                const struct spmmi_bcsr_operands wide = {n, size, 1, 0, 0};
                const struct spmmi_bcsr_shape s = spmmi_bcsr_launch(&wide, rows, 0, blocks, ADA_SHARED);
                check_group(&s, fits ? old : minimum, 2);
                assert_int_equal(spmmi_bcsr_shared(&s, size, blocks),
                                 old_group_bytes(fits ? old : minimum, size, blocks));
            }
            const struct spmmi_bcsr_operands apart = {n, size, 0, 0, 0};
            const struct spmmi_bcsr_shape narrow = spmmi_bcsr_launch(&apart, rows, 1, 1, HOPPER_SHARED);
            check_group(&narrow, minimum, 2);
            assert_int_equal(narrow.is_wide + narrow.has_groups, 0);
        }
    }
}

/* Row-major B of 16 bits. For tiles of 128 columns one warp copies boxes of B, otherwise two warps copy. */
static void test_groups(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        for (uint32_t n = 1; n <= N_MAX; n++) {
            const struct spmmi_bcsr_operands wide = {n, sizes[i / 2], 1, 0, 0};
            const struct spmmi_bcsr_shape s = spmmi_bcsr_launch(&wide, heights[i % 2], 1, 16, HOPPER_SHARED);
            const uint32_t down = heights[i % 2] / 16, tiles = n > 128 ? 16 : 8;
            const uint32_t expected[5] = {down, 1, 1, tiles, tiles == 16 ? 4 : 3};
            assert_int_equal(s.has_groups, sizes[i / 2] == 2 && n >= 64);
            if (!s.has_groups)
                continue;
            check_group(&s, expected, tiles == 16 ? 1 : 2);
            assert_int_equal(spmmi_bcsr_shared(&s, 2, 17),
                             1024 + expected[4] * ((tiles * 1024 + 17 * 512 + 1023) / 1024 * 1024));
        }
    }
}

/* 3xtf32: buffers have two parts of four block columns, in padded halves of 64 rows. Two more warps split A. */
static void test_split_groups(void **state)
{
    static const uint32_t expected[5] = {4, 2, 1, 8, 3};
    (void)state;
    for (uint32_t n = 1; n <= N_MAX; n++) {
        const struct spmmi_bcsr_operands rows = {n, 4, 1, 0, 1}, columns = {n, 4, 0, 1, 1},
                                         apart = {n, 4, 0, 0, 1};
        const struct spmmi_bcsr_shape s = spmmi_bcsr_launch(&rows, 64, 1, 16, HOPPER_SHARED);
        const struct spmmi_bcsr_shape c = spmmi_bcsr_launch(&columns, 64, 1, 16, HOPPER_SHARED);
        assert_int_equal(s.has_groups + 2 * c.has_groups, n > 64 ? 3 : 0);
        assert_int_equal(spmmi_bcsr_launch(&rows, 64, 0, 16, HOPPER_SHARED).has_groups, 0);
        assert_int_equal(spmmi_bcsr_launch(&rows, 64, 1, 16, ADA_SHARED).has_groups, 0);
        assert_int_equal(spmmi_bcsr_launch(&rows, 128, 1, 16, HOPPER_SHARED).has_groups, 0);
        assert_int_equal(spmmi_bcsr_launch(&apart, 64, 1, 16, HOPPER_SHARED).has_groups, 0);
        if (!s.has_groups)
            continue;
        const uint32_t got[5] = {s.down, s.across, s.height, s.tiles, s.stages};
        assert_memory_equal(got, expected, sizeof got);
        assert_int_equal(s.columns * 1000 + s.threads, 128 * 1000 + 32 * (8 + 2 + 2));
        assert_int_equal(spmmi_bcsr_shared(&s, 4, 15),
                         1024 + 3 * (32 * (512 + 32) + 15 * 512) + 2 * 2 * 4 * 2 * (16 * 64 + 64));
        assert_int_equal(2 * (spmmi_bcsr_shared(&c, 4, 16) + 1024), 228 * 1024); /* two thread blocks fit */
    }
}

/* f16, tiles of 128 columns: 1,000 rows of B take 256,000 bytes per tile. */
static void test_order(void **state)
{
    static const struct {
        uint32_t n;
        uint64_t rows, a_bytes, l2_bytes;
        uint32_t tiles, turn;
    } cases[] = {
        {128, 1000, 0, 4096000, 1, 1},        {512, 1000, 0, 4096000, 4, 4},
        {513, 1000, 0, 4096000, 5, 3},        {1025, 1000, 0, 4096000, 9, 3},
        {1024, 1000, 4096000, 4096000, 8, 4}, {1024, 1000, 4096001, 4096000, 8, 8},
        {1024, 1000, 0, 1024000, 8, 1},       {1024, 1000, 0, 2047999, 8, 1},
        {1024, 1000, 0, 1023999, 8, 8},       {1024, 0, 0, 0, 8, 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct spmmi_bcsr_order order =
            spmmi_bcsr_order_of(cases[i].n, 128, 2 * cases[i].rows, cases[i].a_bytes, cases[i].l2_bytes);
        assert_int_equal(order.tiles, cases[i].tiles);
        assert_int_equal(order.turn, cases[i].turn);
    }
}

/* Column-major operands have the tiles of row-major ones. A column of a step has 128 bytes (f64: 256) and a
 * pitch of 144 bytes without warpgroups (f64: 288). The sums of a tile, 4 or 8 bytes each, reuse the memory
 * of the stages. */
static void test_columns(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t size = sizes[i / 4], rows = heights[i / 2 % 2], is_double = size == 8;
        for (uint32_t n = 1; n <= N_MAX; n++) {
            const struct spmmi_bcsr_operands as_rows = {n, size, 1, 0, 0}, as_columns = {n, size, 0, 1, 0};
            const struct spmmi_bcsr_shape r = spmmi_bcsr_launch(&as_rows, rows, i % 2, 4, HOPPER_SHARED);
            const struct spmmi_bcsr_shape c = spmmi_bcsr_launch(&as_columns, rows, i % 2, 4, HOPPER_SHARED);
            const uint32_t block = is_double ? 1024 : 512, align = c.has_groups ? 1024 : 16;
            const uint32_t pitch = is_double ? 288 : c.has_groups ? 128 : 144;
            const uint32_t stage = c.columns * pitch + 4 * block;
            const uint32_t stages = c.stages * ((stage + align - 1) / align * align);
            const uint32_t sums = (is_double ? 8 : 4) * c.columns * (rows + 4);
            assert_int_equal(c.is_columns * 10 + c.is_wide, 11);
            assert_int_equal(c.has_groups, r.has_groups);
            assert_int_equal(c.columns, r.columns);
            assert_int_equal(c.threads, r.threads + (c.has_groups && c.columns == 128 ? 32 : 0));
            assert_int_equal(spmmi_bcsr_shared(&c, size, 4), 1024 + (sums > stages ? sums : stages));
        }
    }
}

/* Lanes of a group: the smallest power of two, at most 32, whose lanes cover n with `vec` columns each. */
static void test_rows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t vec = 1u << i;
        for (int64_t n = 1; n <= (int64_t)N_MAX; n++) {
            const struct spmmi_rows_shape s = spmmi_rows_shape_of(n, vec, 8);
            uint32_t lanes = 1;
            while (lanes < 32 && (int64_t)lanes * vec < n)
                lanes *= 2;
            assert_int_equal(s.way, SPMMI_ROWS_COLUMNS);
            assert_int_equal(s.vec, vec);
            assert_int_equal(s.lanes, lanes);
        }
    }
    /* One column of f32 per lane, or three if a tile of 32 columns leaves few. */
    const uint32_t apart[][3] = {{32, 1, 32}, {33, 3, 16}, {48, 3, 16}, {49, 3, 32},
                                 {64, 3, 32}, {65, 3, 32}, {97, 3, 32}};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        const struct spmmi_rows_shape s = spmmi_rows_shape_of(apart[i][0], 1, 4);
        assert_int_equal(s.vec, apart[i][1]);
        assert_int_equal(s.lanes, apart[i][2]);
    }
    assert_int_equal(spmmi_rows_shape_of(33, 1, 2).vec, 1);
    assert_int_equal(spmmi_rows_shape_of(33, 2, 4).vec, 2);
    const uint32_t narrower[][3] = {{8, 2, 2}, {2, 2, 1}, {1, 2, 0}, {4, 4, 2},
                                    {2, 4, 1}, {2, 8, 1}, {1, 8, 0}};
    for (size_t i = 0; i < sizeof narrower / sizeof narrower[0]; i++)
        assert_int_equal(spmmi_rows_narrower(narrower[i][0], narrower[i][1]), narrower[i][2]);
    assert_true(spmmi_rows_stores_directly(35000, 1, 16));
    assert_false(spmmi_rows_stores_directly(35001, 4000000, 16));
    assert_true(spmmi_rows_stores_directly(1000, 50000, 17));
    assert_false(spmmi_rows_stores_directly(1000, 49999, 17));
}

/* Teams store column-major C of few sectors. A sector has as many rows as a warp, at most 8, or 4 of f64. */
static void test_columns_of_teams(void **state)
{
    static const struct {
        int64_t rows, n;
        uint32_t team, value_bytes;
        int stores;
    } cases[] = {{560000, 8, 2, 4, 1},   {560001, 8, 2, 2, 0}, {280000, 8, 8, 4, 1},  {280001, 8, 8, 4, 0},
                 {70000, 32, 8, 4, 1},   {70001, 32, 8, 4, 0}, {17500, 32, 32, 2, 1}, {17500, 32, 256, 4, 1},
                 {17501, 32, 256, 4, 0}, {100, 33, 32, 4, 0},  {140000, 16, 8, 8, 1}, {140001, 16, 2, 8, 0},
                 {100, 17, 16, 8, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            spmmi_rows_teams_store_directly(cases[i].rows, cases[i].n, cases[i].team, cases[i].value_bytes),
            cases[i].stores);
}

/* Blocks keep column-major C of one full tile with any rows, and of wide products with short rows. */
static void test_kept_columns(void **state)
{
    static const struct {
        int64_t nnz, n;
        uint32_t value_bytes;
        int is_kept;
    } cases[] = {{40000, 16, 4, 0},  {40000, 17, 4, 1}, {400000, 32, 4, 1},  {40000, 32, 8, 1},
                 {40000, 32, 2, 0},  {40000, 33, 4, 0}, {40000, 63, 8, 0},   {50000, 64, 4, 1},
                 {50001, 64, 4, 0},  {50000, 64, 2, 0}, {100000, 512, 8, 1}, {100001, 512, 8, 0},
                 {499999, 32, 4, 1}, {500000, 32, 4, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_rows_keeps_columns(10000, cases[i].nnz, cases[i].n, cases[i].value_bytes),
                         cases[i].is_kept);
    assert_true(spmmi_rows_kept_are_even(1000, 10, 406, 4));
    assert_false(spmmi_rows_kept_are_even(1000, 10, 407, 4));
    assert_false(spmmi_rows_kept_are_even(1000, 0, 0, 4));
    assert_true(spmmi_rows_kept_are_even(1000, 1, 1000, 4));
    assert_int_equal(spmmi_rows_kept_before(59136, 32, 4, 132), 20480);
    assert_int_equal(spmmi_rows_kept_before(59137, 32, 4, 132), 0);
    assert_int_equal(spmmi_rows_kept_before(1000, 64, 4, 132), 0);
    assert_int_equal(spmmi_rows_kept_before(1000, 32, 8, 132), 0);
}

/* Few columns: two per lane. If n > 1, a staged product must fit into a number of waves; 8 columns: one. */
static void test_few_columns(void **state)
{
    (void)state;
    static const uint32_t expected[][3] = {{1, 1, 0}, {2, 1, 1}, {2, 2, 2}, {2, 2, 2},
                                           {2, 4, 3}, {2, 4, 3}, {2, 4, 3}, {2, 4, 3}};
    for (int64_t n = 1; n <= SPMMI_STAGED_COLUMNS_MAX; n++) {
        const struct spmmi_rows_shape s = spmmi_staged_shape_of(n);
        assert_int_equal(s.way, SPMMI_ROWS_STAGED);
        assert_int_equal(s.vec, expected[n - 1][0]);
        assert_int_equal(s.lanes, expected[n - 1][1]);
        assert_int_equal(spmmi_staged_grid(s), expected[n - 1][2]);
        assert_int_equal(spmmi_staged_lanes(spmmi_staged_grid(s)), s.lanes);
        const uint64_t limit = UINT64_C(132) * 5 * (n == 8 ? 1 : 8 / s.lanes);
        assert_true(spmmi_staged_pays(n, s, 4, n == 1 ? UINT32_MAX : limit, 132));
        assert_int_equal(spmmi_staged_pays(n, s, 4, limit + 1, 132), n == 1);
    }
}

/* Lanes per row, n = 1: three turns of four nonzeros if the rows fill the GPU, one turn if they do not. */
static void test_lanes_of_a_row(void **state)
{
    (void)state;
    const uint64_t few = 700, many = 1000000, half = UINT64_C(132) * 6 * 256 / 2;
    for (uint64_t mean = 1; mean <= 2000; mean++) {
        uint32_t three_turns = 1, one_turn = 1;
        while (three_turns < 32 && mean > 12 * three_turns)
            three_turns *= 2;
        while (one_turn < 32 && mean > 4 * one_turn)
            one_turn *= 2;
        assert_int_equal(spmmi_rows_lanes_of(many * mean, many, 132), three_turns);
        assert_int_equal(spmmi_rows_lanes_of(few * mean, few, 132), mean > 256 ? 256 : one_turn);
    }
    assert_int_equal(spmmi_rows_lanes_of(half / 4 * 48, half / 4, 132), 4);
    assert_int_equal(spmmi_rows_lanes_of((half / 4 - 1) * 48, half / 4 - 1, 132), 8);
    assert_int_equal(spmmi_lanes_rows(0, 1, 132), 1);
    for (uint32_t groups = 1; groups <= 256; groups *= 2) {
        const uint64_t wave = UINT64_C(132) * 6 * groups;
        assert_int_equal(spmmi_lanes_rows(1, groups, 132), 1);
        assert_int_equal(spmmi_lanes_rows(wave, groups, 132), 1);
        assert_int_equal(spmmi_lanes_rows(wave + 1, groups, 132), 2);
        assert_int_equal(spmmi_lanes_rows(16 * wave + 1, groups, 132), 16);
    }
}

/* Returns the waves of thread blocks for which no lane group has more than 128 nonzeros (1 or 2 lanes: 30),
 * even if a block grows by 1 / part. */
static uint64_t block_waves(uint64_t nnz, uint64_t item_size, uint64_t groups, uint64_t slots, int grid,
                            uint64_t part)
{
    const uint64_t limit = grid <= 1 ? 30 : 128;
    const uint64_t most = item_size > limit ? item_size : limit;
    uint64_t waves = 1;
    while ((nnz * (part + 1) / part + 1) >= waves * slots * groups * most)
        waves++;
    return waves;
}

/* Returns the most nonzeros of a lane group if its block took `moved` from the preceding one: the groups
 * share the items that the block touches. */
static uint64_t group_of(uint64_t block, uint64_t moved, uint64_t item_size, uint64_t groups)
{
    const uint64_t start = 2 * block - moved, end = 3 * block;
    const uint64_t items = (end - 1) / item_size + 1 - start / item_size;
    return (items + groups - 1) / groups * item_size;
}

static uint64_t group_longest(const struct spmmi_rows_blocks *blocks, uint64_t item_size)
{
    const uint64_t move_max = spmmi_rows_move_max(blocks);
    uint64_t longest = 0;
    for (uint64_t moved = 0; moved <= move_max; moved += move_max / 64 + 1) {
        const uint64_t group = group_of(blocks->nonzeros, moved, item_size, blocks->groups);
        longest = group > longest ? group : longest;
    }
    const uint64_t last = group_of(blocks->nonzeros, move_max, item_size, blocks->groups);
    return last > longest ? last : longest;
}

/* Returns the slack: boundaries move by 1/4 of a block, with up to 4 lanes by 1/2; with up to 16 by 1/2 or 1,
 * if all blocks are one wave and the longest group has at most 16 nonzeros and does not grow. */
static uint64_t block_part(uint64_t nnz, uint32_t item_size, uint32_t size, int grid, uint32_t sm_count)
{
    uint64_t part = grid <= 2 ? 2 : 4;
    const struct spmmi_rows_blocks usual = spmmi_rows_blocks_with(part, nnz, item_size, size, grid, sm_count);
    uint64_t longest = group_longest(&usual, item_size);
    for (uint64_t farther = 2; farther > 0 && grid <= 4; farther--) {
        const struct spmmi_rows_blocks far =
            spmmi_rows_blocks_with(farther, nnz, item_size, size, grid, sm_count);
        const uint64_t most = group_longest(&far, item_size);
        const uint64_t slots = sm_count * (size == 4 ? 5 : 4);
        if (most <= 16 && most <= longest && (nnz - 1) / far.nonzeros < slots) {
            part = farther;
            longest = most;
        }
    }
    return part;
}

/* Checks that blocks have the fewest whole items with which those of all tiles together fit into the waves,
 * but at least 1/2, 2/3 or 4/5 of an item per group. */
static void check_blocks(uint64_t nnz, uint32_t item_size, uint32_t size, int grid, uint32_t sm_count)
{
    const uint64_t groups = 256 / spmmi_rows_grid_lanes(grid), slots = sm_count * (size == 4 ? 5 : 4);
    const uint64_t tiles = spmmi_rows_grid_tiles(grid);
    const uint64_t part = block_part(nnz, item_size, size, grid, sm_count);
    const uint64_t waves = block_waves(nnz * tiles, item_size, groups, slots, grid, part);
    const struct spmmi_rows_blocks blocks = spmmi_rows_blocks_of(nnz, item_size, size, grid, sm_count);
    const uint64_t block = blocks.nonzeros, most = waves * slots / tiles;
    const uint64_t least = (groups - 1) * item_size * part / (part + 1);
    assert_int_equal(blocks.slack, part);
    assert_int_equal(block % item_size, 0);
    assert_true((nnz - 1) / block + 1 <= most);
    assert_true(block >= least / item_size * item_size);
    if (block > item_size && block - item_size >= least)
        assert_true((nnz - 1) / (block - item_size) + 1 > most);
    assert_int_equal(blocks.group_longest, group_longest(&blocks, item_size));
    if (part <= (grid > 2 ? 2 : 1))
        assert_int_equal(waves, 1);
}

static void test_rows_blocks(void **state)
{
    static const uint32_t sm_counts[] = {1, 84, 132};
    (void)state;
    for (uint64_t nnz = 1; nnz < 40000000; nnz = nnz * 5 / 4 + 3)
        for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++)
            for (uint32_t item_size = 4; item_size <= 4096; item_size *= 2)
                for (int i = 0; i < 3; i++)
                    for (uint32_t size = 4; size <= 8; size += 4)
                        check_blocks(nnz, item_size, size, grid, sm_counts[i]);
    for (uint64_t nnz = 540671; nnz <= 540672; nnz++) /* a full wave, and one nonzero more */
        check_blocks(nnz, 8, 4, 5, 132);
}

/* Moving boundaries farther must not lengthen a lane group. Items of 8, on both sides of each change. */
static void test_rows_boundaries(void **state)
{
    static const struct {
        uint64_t nnz, slack, longest;
        int grid;
    } cases[] = {{337920, 1, 8, 1},  {337921, 2, 8, 1},  {84480, 1, 8, 3},   {84481, 2, 8, 3},
                 {110880, 2, 8, 3},  {110881, 4, 8, 3},  {132000, 4, 8, 3},  {132001, 1, 16, 3},
                 {168960, 1, 16, 3}, {168961, 2, 16, 3}, {221760, 2, 16, 3}, {221761, 4, 16, 3},
                 {42240, 1, 8, 4},   {42241, 2, 8, 4},   {52800, 2, 8, 4},   {52801, 4, 8, 4},
                 {63361, 1, 16, 4},  {84481, 2, 16, 4},  {110880, 2, 16, 4}, {110881, 4, 16, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct spmmi_rows_blocks b = spmmi_rows_blocks_of(cases[i].nnz, 8, 4, cases[i].grid, 132);
        assert_int_equal(b.slack, cases[i].slack);
        assert_int_equal(b.group_longest, cases[i].longest);
    }
}

/* Column tiles share a wave if A is small and what they read and write stays in the L2 cache. */
static void test_rows_tiles(void **state)
{
    static const struct {
        uint64_t count, nnz, dense_rows;
        uint32_t together;
    } cases[] = {{1, 50000, 4000, 1},  {2, 50000, 4000, 2},  {3, 50000, 4000, 2},  {4, 50000, 4000, 4},
                 {40, 50000, 4000, 4}, {4, 101375, 4000, 4}, {4, 101376, 4000, 2}, {4, 202751, 4000, 2},
                 {4, 202752, 4000, 1}, {4, 50000, 17920, 4}, {4, 50000, 17921, 2}, {4, 50000, 35840, 2},
                 {4, 50000, 35841, 1}, {2, 50000, 35841, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct spmmi_rows_tiles tiles = {cases[i].count,    cases[i].nnz,      cases[i].dense_rows, 512,
                                               UINT64_C(132) * 5, UINT64_C(50) << 20};
        const struct spmmi_rows_shape shape = {4, 32, SPMMI_ROWS_COLUMNS, 1};
        const int grid = spmmi_rows_tiled_grid(shape, &tiles);
        assert_int_equal(spmmi_rows_tiles_together(&tiles), cases[i].together);
        assert_int_equal(spmmi_rows_grid_tiles(grid), cases[i].together);
        assert_int_equal(spmmi_rows_grid_lanes(grid), 32);
    }
    const struct spmmi_rows_tiles many = {9, 1000, 1000, 64, 660, UINT64_C(50) << 20};
    assert_int_equal(spmmi_rows_tiled_grid((struct spmmi_rows_shape){1, 16, SPMMI_ROWS_COLUMNS, 1}, &many),
                     4);
}

/* All blocks may share one row. Its arrival counter must be able to count them. */
static void test_rows_arrivals(void **state)
{
    (void)state;
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        for (uint32_t item_size = 1; item_size <= 1u << 20; item_size = item_size * 5 / 4 + 1) {
            for (uint32_t sm_count = 1; sm_count <= 4096; sm_count *= 2) {
                for (int size = 4; size <= 8; size += 4) {
                    const struct spmmi_rows_blocks b =
                        spmmi_rows_blocks_of(INT32_MAX, item_size, (uint32_t)size, grid, sm_count);
                    assert_true(INT32_MAX / b.nonzeros < SPMMI_ARRIVALS_MAX / 2);
                }
            }
        }
    }
}

static void test_tiled(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        for (uint32_t slots = 32; slots <= 4095; slots += 239) {
            struct spmmi_tiled_work many = {1, 1000000, 132, sizes[i], slots, slots};
            for (; many.n <= 40; many.n++) {
                uint32_t tile = 1;
                while (tile < many.n && 2 * tile * (sizes[i] == 8 ? 8 : 4) <= 64) {
                    const uint32_t bytes = 2 * tile * sizes[i];
                    if (2 * (slots + 1) * (bytes < 16 ? bytes : (bytes / 16 | 1) * 16) > 99 * 1024)
                        break;
                    tile *= 2;
                }
                assert_int_equal(spmmi_tiled_register_tile(&many), tile);
            }
        }
    }
    assert_int_equal(spmmi_tiled_registers(28), 64);
    assert_int_equal(spmmi_tiled_registers(64), 80);
    assert_int_equal(spmmi_tiled_registers(128), 128);
    assert_int_equal(spmmi_tiled_stages_bytes(264, 0, 16, 4), 265 * 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_panel),
        cmocka_unit_test(test_panel_resident),
        cmocka_unit_test(test_block_row_groups),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_split_groups),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_kept_columns),
        cmocka_unit_test(test_columns_of_teams),
        cmocka_unit_test(test_few_columns),
        cmocka_unit_test(test_lanes_of_a_row),
        cmocka_unit_test(test_rows_blocks),
        cmocka_unit_test(test_rows_boundaries),
        cmocka_unit_test(test_rows_tiles),
        cmocka_unit_test(test_rows_arrivals),
        cmocka_unit_test(test_tiled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
