/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel of the rows family runs a product on a GPU, its number of thread blocks, and laws of its
 * workspace: parts follow each other at multiples of 256 bytes, and none is larger than needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/rows/rows_columns_shape.h"
#include "kernels/rows/rows_launch_cuda.h"
#include "kernels/rows/rows_slices_shape.h"

#define ROWS 2000
#define MULTIPROCESSORS 132
#define STAGED_FIRST 100 /* thread blocks of the first staged grid; each further grid has one more */
#define BLOCKS_FIRST 600 /* the same for other grids; a launch has 16 tiles at most */

static spmm_dense_t operand(int64_t rows, int64_t n, spmm_layout_t layout, spmm_dtype_t type)
{
    return (spmm_dense_t){(void *)(uintptr_t)256, rows, n, layout == SPMM_ROW_MAJOR ? n : rows, layout, type};
}

/* Fills in what all problems have, and plans the launch. */
static struct spmmi_rows_launch launch_of(struct spmmi_rows_problem problem)
{
    static const struct spmmi_device device = {
        .target = 90, .multiprocessors = MULTIPROCESSORS, .l2_bytes = UINT64_C(50) << 20, .can_overlap = 1};
    struct spmmi_grid_blocks staged[SPMMI_STAGED_GRIDS], blocks[SPMMI_ROWS_GRIDS];
    struct spmmi_rows_launch launch;
    for (uint32_t i = 0; i < SPMMI_STAGED_GRIDS; i++)
        staged[i] = (struct spmmi_grid_blocks){NULL, STAGED_FIRST + i, SPMMI_STAGED_NONZEROS_MIN, 0};
    for (uint32_t i = 0; i < SPMMI_ROWS_GRIDS; i++)
        blocks[i] = (struct spmmi_grid_blocks){NULL, BLOCKS_FIRST + i, 8, 400};
    problem.staged = staged;
    problem.blocks = blocks;
    problem.dtype = problem.dtype != 0 ? problem.dtype : problem.b->type;
    problem.rows = problem.rows > 0 ? problem.rows : ROWS;
    problem.cols = problem.cols > 0 ? problem.cols : ROWS;
    problem.ranks = problem.ranks > 0 ? problem.ranks : (uint32_t)problem.rows;
    problem.item_size = 8;
    spmmi_rows_launch_plan(&problem, &device, &launch);
    return launch;
}

/* ---- Workspace ---- */

/* Checks that a part begins at the first aligned offset at or after `before`. Returns its end. */
static uint64_t check_part(uint64_t offset, uint64_t bytes, uint64_t before)
{
    assert_int_equal(offset % 256, 0);
    assert_in_range(offset, before, before + 255);
    return offset + bytes;
}

static void check_workspace(const struct spmmi_rows_problem *p, const struct spmmi_rows_launch *l)
{
    const uint64_t width = l->shape.lanes * l->shape.vec, n = (uint64_t)l->n_pass,
                   all = n / width + (n % width > 0), tiles = all < l->tiles_max ? all : l->tiles_max,
                   b_bytes = spmm_dtype_size(p->b->type), c_bytes = spmm_dtype_size(p->c->type),
                   sum_bytes = p->b->type == SPMM_F64 ? 8 : 4, wide = 16 / b_bytes;
    uint64_t end = 0;
    assert_int_equal(l->pitch % wide, 0);
    assert_in_range(l->pitch, n, n + wide - 1);
    if (l->converts_b)
        end = check_part(l->b_offset, (uint64_t)p->cols * l->pitch * b_bytes, end);
    if (l->converts_c)
        end = check_part(l->c_offset, (uint64_t)p->rows * l->pitch * c_bytes, end);
    if (p->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) { /* per block and tile a counter and two slots of sums */
        end = check_part(l->arrivals_offset, l->block_count * tiles * 8, end);
        end = check_part(l->slots_offset, l->block_count * tiles * 2 * width * sum_bytes, end);
    }
    if (p->piece_count > 0) {
        assert_int_equal(l->piece_pitch % 8, 0);
        assert_in_range(l->piece_pitch, n, n + 7);
        end = check_part(l->pieces_offset, (uint64_t)p->piece_count * l->piece_pitch * sum_bytes, end);
    }
    assert_in_range(l->workspace_bytes, end, end + 255);
}

static void parts_of_the_workspace_are_apart(void **state)
{
    static const int64_t widths[] = {1, 2, 3, 33, 100, 300, 3000, 20000};
    static const spmm_dtype_t types[][3] = {{SPMM_F32, SPMM_F32, SPMM_F32},
                                            {SPMM_F64, SPMM_F64, SPMM_F64},
                                            {SPMM_F16, SPMM_F16, SPMM_F16},
                                            {SPMM_F16, SPMM_F16, SPMM_F32},
                                            {SPMM_F32, SPMM_BF16, SPMM_BF16}};
    (void)state;
    for (int i = 0; i < 8 * 5 * 2 * 2 * 2 * 2; i++) {
        const int64_t n = widths[i % 8];
        const spmm_dtype_t *const type = types[i / 8 % 5];
        const spmm_layout_t layout_b = i / 40 % 2 == 0 ? SPMM_ROW_MAJOR : SPMM_COL_MAJOR;
        const spmm_layout_t layout_c = i / 80 % 2 == 0 ? SPMM_ROW_MAJOR : SPMM_COL_MAJOR;
        const spmm_dense_t b = operand(3001, n, layout_b, type[1]), c = operand(999, n, layout_c, type[2]);
        const struct spmmi_rows_problem problem = {.rows = 999,
                                                   .cols = 3001,
                                                   .nnz = 9990,
                                                   .item_count = 999,
                                                   .schedule = i / 160 % 2 == 0 ? SPMM_SCHEDULE_ROW_SPLIT
                                                                                : SPMM_SCHEDULE_NONZERO_SPLIT,
                                                   .dtype = type[0],
                                                   .piece_count = (uint32_t)i / 320,
                                                   .b = &b,
                                                   .c = &c};
        const struct spmmi_rows_launch launch = launch_of(problem);
        const int is_row_major = layout_b == SPMM_ROW_MAJOR && layout_c == SPMM_ROW_MAJOR;
        assert_int_equal(launch.converts_b, layout_b == SPMM_COL_MAJOR && n > 1);
        if (layout_c == SPMM_ROW_MAJOR || n == 1)
            assert_int_equal(launch.converts_c, 0);
        if ((is_row_major || n == 1) && problem.piece_count == 0)
            assert_int_equal(launch.n_pass, n);
        check_workspace(&problem, &launch);
    }
}

/* Scratch is limited to 32 MB for values of four bytes: as many columns as fit, in steps of 256, and at least
 * 256. Products with pieces have at most 512 columns per pass, so that their sums do not grow with n. */
static void passes_limit_the_workspace(void **state)
{
    static const struct {
        spmm_layout_t b, c;
        int64_t rows, cols, n;
        uint32_t pieces;
        int64_t n_pass;
    } cases[] = {{SPMM_COL_MAJOR, SPMM_ROW_MAJOR, 1000, 1000, 20000, 0, 4096}, /* 4,194 would fit */
                 {SPMM_ROW_MAJOR, SPMM_COL_MAJOR, 1000, 1000, 20000, 0, 4096},
                 {SPMM_COL_MAJOR, SPMM_ROW_MAJOR, 500, 1500, 20000, 0, 4096},
                 {SPMM_COL_MAJOR, SPMM_COL_MAJOR, 400000, 600000, 20000, 0, 256},
                 {SPMM_COL_MAJOR, SPMM_COL_MAJOR, 400000, 600000, 255, 0, 255},
                 {SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 400000, 600000, 20000, 0, 20000},
                 {SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 1000, 1000, 511, 1, 511},
                 {SPMM_ROW_MAJOR, SPMM_ROW_MAJOR, 1000, 1000, 513, 1, 512},
                 {SPMM_COL_MAJOR, SPMM_ROW_MAJOR, 1000, 1000, 20000, 1, 512}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(cases[i].cols, cases[i].n, cases[i].b, SPMM_F32),
                           c = operand(cases[i].rows, cases[i].n, cases[i].c, SPMM_F32);
        const struct spmmi_rows_problem problem = {.rows = cases[i].rows,
                                                   .cols = cases[i].cols,
                                                   .nnz = 5000,
                                                   .item_count = 700,
                                                   .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                                   .piece_count = cases[i].pieces,
                                                   .b = &b,
                                                   .c = &c};
        assert_int_equal(launch_of(problem).n_pass, cases[i].n_pass);
    }
}

/* ---- Kernels and thread blocks ---- */

/* Checks that the number of blocks is the smallest that covers `count`, with `each` per block. */
static void assert_blocks(const struct spmmi_rows_launch *launch, uint64_t count, uint64_t each)
{
    assert_true(launch->block_count * each >= count);
    assert_true((launch->block_count - 1) * each < count);
}

/* One column of a row split: lanes per row, or warps per slice, unless the caller gives the number. */
static void one_column_of_a_row_split_has_kernels_of_its_own(void **state)
{
    static const struct {
        uint32_t nnz, ranks, forced;
        int is_sliced;
        uint32_t lanes;
    } cases[] = {{7 * ROWS, ROWS, 0, 0, 2},     /* one turn of four nonzeros; rows do not fill the GPU */
                 {600 * ROWS, ROWS, 0, 0, 256}, /* long rows have a thread block each */
                 {257 * 3167, 3167, 0, 0, 256}, /* if 32 lanes fill less than half of the GPU */
                 {257 * 3168, 3168, 0, 0, 32},  {7 * ROWS, ROWS, 16, 0, 16}, {257, 257, 1, 0, 1},
                 {16000001, 4000000, 0, 0, 1},  {7 * ROWS, ROWS, 0, 1, 1},   {300 * ROWS, ROWS, 0, 1, 8},
                 {300 * ROWS, ROWS, 4, 1, 4},   {300 * 33, 33, 1, 1, 1}};
    const spmm_dense_t column = operand(ROWS, 1, SPMM_COL_MAJOR, SPMM_F32);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct spmmi_rows_launch launch =
            launch_of((struct spmmi_rows_problem){.nnz = cases[i].nnz,
                                                  .ranks = cases[i].ranks,
                                                  .longest = 95,
                                                  .item_count = cases[i].ranks / 2,
                                                  .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                                  .is_sliced = cases[i].is_sliced,
                                                  .forced_lanes = cases[i].forced,
                                                  .b = &column,
                                                  .c = &column});
        assert_int_equal(launch.shape.lanes, cases[i].lanes);
        assert_int_equal(launch.shape.vec, 1);
        assert_int_equal(launch.shape.share, 1);
        assert_int_equal(launch.shape.way, cases[i].is_sliced ? SPMMI_ROWS_SLICED : SPMMI_ROWS_LANES);
        if (cases[i].is_sliced) /* eight warps per block; slices of 32 rows */
            assert_blocks(&launch, (cases[i].ranks + 31) / 32, 8 / launch.shape.lanes);
        else
            assert_blocks(&launch, cases[i].ranks,
                          (uint64_t)256 / launch.shape.lanes * launch.items_per_group);
    }
}

/* Few columns of a nonzero split are staged and have their own tables of blocks. More columns are not
 * staged. */
static void few_columns_of_a_nonzero_split_are_staged(void **state)
{
    static const struct {
        int64_t n;
        uint32_t blocks, lanes;
        enum spmmi_rows_way way;
    } cases[] = {{1, STAGED_FIRST, 1, SPMMI_ROWS_STAGED},     {2, STAGED_FIRST + 1, 1, SPMMI_ROWS_STAGED},
                 {4, STAGED_FIRST + 2, 2, SPMMI_ROWS_STAGED}, {7, STAGED_FIRST + 3, 4, SPMMI_ROWS_STAGED},
                 {8, STAGED_FIRST + 3, 4, SPMMI_ROWS_STAGED}, {16, BLOCKS_FIRST + 2, 4, SPMMI_ROWS_COLUMNS}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(ROWS, cases[i].n, SPMM_ROW_MAJOR, SPMM_F32);
        struct spmmi_rows_problem problem = {
            .nnz = 20000, .schedule = SPMM_SCHEDULE_NONZERO_SPLIT, .b = &b, .c = &b};
        const struct spmmi_rows_launch launch = launch_of(problem);
        assert_int_equal(launch.shape.way, cases[i].way);
        assert_int_equal(launch.shape.lanes, cases[i].lanes);
        assert_int_equal(launch.block_count, cases[i].blocks);
        problem.schedule = SPMM_SCHEDULE_ROW_SPLIT;
        problem.item_count = 1001;
        assert_true(launch_of(problem).shape.way != SPMMI_ROWS_STAGED);
    }
}

/* Groups that share a row: as many as a thread block can hold. One group per row if each group has items of
 * its own. */
static void teams_are_whole_in_their_blocks(void **state)
{
    static const struct {
        uint32_t nnz, longest, forced, pieces, share;
    } cases[] = {{42 * ROWS, 95, 0, 0, 8}, /* test_rows_launch.c tests the rule */
                 {42 * ROWS, 95, 2, 0, 2},  {42 * ROWS, 95, 32, 0, 32},
                 {42 * ROWS, 95, 64, 0, 1}, /* with 8 lanes each, too many for a block */
                 {42 * ROWS, 95, 0, 1, 1},  {42 * ROWS, 95, 2, 1, 1}};
    const spmm_dense_t b = operand(ROWS, 32, SPMM_ROW_MAJOR, SPMM_F32);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmmi_rows_problem problem = {.nnz = cases[i].nnz,
                                             .longest = cases[i].longest,
                                             .item_count = 1001,
                                             .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                             .piece_count = cases[i].pieces,
                                             .forced_share = cases[i].forced,
                                             .b = &b,
                                             .c = &b};
        const struct spmmi_rows_launch launch = launch_of(problem);
        assert_int_equal(launch.shape.lanes, 8);
        assert_int_equal(launch.items_per_group, 1);
        assert_int_equal(launch.shape.share, cases[i].share);
        assert_int_equal(launch.shape.way, cases[i].share > 1 ? SPMMI_ROWS_TEAMS : SPMMI_ROWS_COLUMNS);
        if (cases[i].share > 1)
            assert_blocks(&launch, ROWS, 256 / (8 * cases[i].share));
        else
            assert_blocks(&launch, 1001, 256 / 8);
        problem.schedule = SPMM_SCHEDULE_NONZERO_SPLIT; /* blocks have parts of rows */
        assert_int_equal(launch_of(problem).shape.share, 1);
    }
}

/* Each group has one row if rows are short, columns few and C row-major; otherwise groups have items. */
static void short_rows_have_a_group_each(void **state)
{
    static const struct {
        int64_t n;
        uint32_t longest, forced, pieces;
        spmm_dtype_t type;
        spmm_layout_t layout; /* of C */
        int forces_short, is_short;
    } cases[] = {
        {2, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 1},  {16, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 1},
        {16, 16, 0, 0, SPMM_F64, SPMM_ROW_MAJOR, 0, 1}, {32, 16, 0, 0, SPMM_F16, SPMM_ROW_MAJOR, 0, 1},
        {1, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 0},  {20, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 0},
        {16, 17, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 0}, {40, 16, 0, 0, SPMM_F16, SPMM_ROW_MAJOR, 0, 0},
        {5, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 0}, /* 8 lanes of one column */
        {3, 16, 0, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 1},  {16, 16, 0, 1, SPMM_F32, SPMM_ROW_MAJOR, 0, 0},
        {16, 16, 0, 0, SPMM_F32, SPMM_COL_MAJOR, 0, 0}, {16, 16, 1, 0, SPMM_F32, SPMM_ROW_MAJOR, 0, 0},
        {16, 90, 1, 0, SPMM_F32, SPMM_ROW_MAJOR, 1, 1}, {32, 90, 1, 0, SPMM_F32, SPMM_ROW_MAJOR, 1, 1},
        {64, 90, 1, 0, SPMM_F32, SPMM_ROW_MAJOR, 1, 0}, {16, 90, 1, 0, SPMM_F32, SPMM_COL_MAJOR, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(100000, cases[i].n, SPMM_ROW_MAJOR, cases[i].type),
                           c = operand(100000, cases[i].n, cases[i].layout, cases[i].type);
        struct spmmi_rows_problem problem = {.rows = 100000,
                                             .cols = 100000,
                                             .nnz = 700000,
                                             .ranks = 100000,
                                             .longest = cases[i].longest,
                                             .item_count = 50000,
                                             .item_size = 16,
                                             .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                             .dtype = cases[i].type,
                                             .piece_count = cases[i].pieces,
                                             .forced_share = cases[i].forced,
                                             .forces_short = cases[i].forces_short,
                                             .b = &b,
                                             .c = &c};
        const struct spmmi_rows_launch launch = launch_of(problem);
        assert_int_equal(launch.shape.way == SPMMI_ROWS_SHORT, cases[i].is_short);
        if (cases[i].is_short) {
            assert_int_equal(launch.shape.share, 1);
            assert_blocks(&launch, 100000, 256 / launch.shape.lanes);
        }
        problem.schedule = SPMM_SCHEDULE_NONZERO_SPLIT;
        assert_true(launch_of(problem).shape.way != SPMMI_ROWS_SHORT);
    }
}

/* ---- Column-major C ---- */

/* Teams store small column-major C of a row split directly, so nothing is converted, even with one group per
 * row. */
static void teams_store_small_columns(void **state)
{
    static const spmm_dtype_t mixed[] = {SPMM_F16, SPMM_F16, SPMM_F32};
    static const spmm_dtype_t f32_only[] = {SPMM_F32, SPMM_F32, SPMM_F32};
    static const spmm_dtype_t f64_only[] = {SPMM_F64, SPMM_F64, SPMM_F64};
    static const struct {
        int64_t rows, n;
        uint32_t nnz, longest, forced, pieces;
        const spmm_dtype_t *types;
        uint32_t share;
        int stores;
    } cases[] = {{70000, 32, 280000, 4, 1, 0, f32_only, 1, 1}, /* 560,000 / 32 x 4 rows per warp */
                 {70001, 32, 280000, 4, 1, 0, f32_only, 1, 0},
                 {35000, 32, 1400000, 90, 2, 0, f32_only, 2, 1}, /* 2 rows per warp */
                 {35001, 32, 1400000, 90, 2, 0, f32_only, 2, 0},
                 {70000, 16, 280000, 4, 1, 0, f64_only, 1, 1},
                 {70000, 32, 280000, 4, 1, 3, f32_only, 1, 0}, /* pieces are added afterwards */
                 {70000, 32, 280000, 4, 1, 0, mixed, 1, 0}};   /* no such kernels */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(cases[i].rows, cases[i].n, SPMM_ROW_MAJOR, cases[i].types[1]),
                           c = operand(cases[i].rows, cases[i].n, SPMM_COL_MAJOR, cases[i].types[2]);
        struct spmmi_rows_problem problem = {.rows = cases[i].rows,
                                             .cols = cases[i].rows,
                                             .nnz = cases[i].nnz,
                                             .longest = cases[i].longest,
                                             .item_count = 1001,
                                             .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                             .dtype = cases[i].types[0],
                                             .piece_count = cases[i].pieces,
                                             .forced_share = cases[i].forced,
                                             .b = &b,
                                             .c = &c};
        const struct spmmi_rows_launch launch = launch_of(problem);
        assert_int_equal(launch.shape.share, cases[i].share);
        assert_int_equal(launch.shape.way == SPMMI_ROWS_TEAMS, cases[i].stores || cases[i].share > 1);
        assert_int_equal(launch.converts_c, !cases[i].stores);
        assert_int_equal(launch.workspace_bytes > 0, !cases[i].stores || cases[i].pieces > 0);
        problem.schedule = SPMM_SCHEDULE_NONZERO_SPLIT;
        assert_int_equal(launch_of(problem).shape.way, SPMMI_ROWS_COLUMNS);
    }
}

/* Small column-major C is stored value by value, except if the types differ or pieces are added
 * afterwards. */
static void small_columns_are_not_converted(void **state)
{
    const spmm_dense_t b = operand(ROWS, 8, SPMM_ROW_MAJOR, SPMM_F16),
                       same = operand(ROWS, 8, SPMM_COL_MAJOR, SPMM_F16),
                       other = operand(ROWS, 8, SPMM_COL_MAJOR, SPMM_F32);
    struct spmmi_rows_problem problem = {
        .nnz = 20000, .schedule = SPMM_SCHEDULE_NONZERO_SPLIT, .b = &b, .c = &same};
    (void)state;
    assert_int_equal(launch_of(problem).converts_c, 0);
    problem.piece_count = 1;
    assert_int_equal(launch_of(problem).converts_c, 1);
    problem.piece_count = 0;
    problem.c = &other;
    assert_int_equal(launch_of(problem).converts_c, 1);
}

/* If blocks keep C of one tile, the conversion of B reserves shared memory, provided that 132 multiprocessors
 * with 448 rows each convert all of B at once. */
static void conversions_before_kept_columns_take_shared_memory(void **state)
{
    static const struct {
        int64_t cols, n;
        spmm_dtype_t type;
        int is_kept;
        uint32_t before_bytes;
    } cases[] = {{59136, 32, SPMM_F32, 1, 20480}, {59137, 32, SPMM_F32, 1, 0}, {1000, 64, SPMM_F32, 1, 0},
                 {1000, 32, SPMM_F64, 1, 0},      {1000, 33, SPMM_F32, 0, 0},  {1000, 32, SPMM_F16, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(cases[i].cols, cases[i].n, SPMM_COL_MAJOR, cases[i].type),
                           c = operand(100000, cases[i].n, SPMM_COL_MAJOR, cases[i].type);
        const struct spmmi_rows_launch launch =
            launch_of((struct spmmi_rows_problem){.rows = 100000,
                                                  .cols = cases[i].cols,
                                                  .nnz = 400000,
                                                  .longest = 4,
                                                  .item_count = 1001,
                                                  .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                                  .b = &b,
                                                  .c = &c});
        assert_int_equal(launch.keeps_c, cases[i].is_kept);
        assert_int_equal(launch.before_bytes, cases[i].before_bytes);
    }
    /* Half a tile of columns is not kept, even if there are too many rows to store values one by one. */
    assert_false(spmmi_rows_stores_directly(1000000, 4000000, 16));
    assert_false(spmmi_rows_keeps_columns(1000000, 4000000, 16, 4));
    assert_true(spmmi_rows_keeps_columns(1000000, 4000000, 17, 4));
}

/* ---- Tiles and waves ---- */

/* A launch has as many column tiles as make 8,192 blocks, but at least 16. */
static void launches_are_of_enough_blocks(void **state)
{
    static const uint32_t blocks[] = {1, 2, 3, 255, 256, 481, 482, 511, 512, 513, 8192, 1000000, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        const uint64_t tiles = spmmi_rows_tiles_max(blocks[i]);
        assert_true(tiles >= 16 && (tiles + 1) * blocks[i] > 8192);
        assert_true(tiles == 16 || tiles * blocks[i] <= 8192);
    }
    assert_int_equal(spmmi_rows_tiles_max(0), 8192);
}

/* 132 multiprocessors: a wave has 660 blocks, or 792, of all tiles together. A tile has 128 columns, or 32
 * for groups of 8 lanes. */
static void crowded_waves_are_of_all_tiles_of_a_launch(void **state)
{
    static const struct {
        int64_t n;
        uint32_t items; /* 8 per block; for narrow groups 32 */
        int is_crowded;
    } cases[] = {{32, 32 * 660, 0}, {32, 32 * 660 + 1, 1}, {32, 32 * 792, 1}, {32, 32 * 792 + 1, 0},
                 {512, 8 * 165, 0}, {512, 8 * 165 + 1, 1}, {512, 8 * 198, 1}, {512, 8 * 198 + 1, 0},
                 {516, 8 * 132, 0}, {516, 8 * 132 + 1, 1}, {100000, 8, 1},    {100000, 8 * 5000, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = operand(ROWS, cases[i].n, SPMM_ROW_MAJOR, SPMM_F32);
        const struct spmmi_rows_launch launch =
            launch_of((struct spmmi_rows_problem){.nnz = 4 * ROWS,
                                                  .longest = 4,
                                                  .item_count = cases[i].items,
                                                  .schedule = SPMM_SCHEDULE_ROW_SPLIT,
                                                  .forced_share = 1,
                                                  .b = &b,
                                                  .c = &b});
        assert_int_equal(launch.is_crowded, cases[i].is_crowded);
    }
}

/* 660 blocks of 8 groups, each with at most 128 nonzeros, including the quarter that a block may grow. One
 * nonzero more needs a second wave, in which groups have about half as many. */
static void groups_share_the_nonzeros_of_all_waves(void **state)
{
    (void)state;
    assert_int_equal(spmmi_rows_blocks_with(4, 540671, 8, 4, 5, MULTIPROCESSORS).group_nonzeros, 128);
    assert_int_equal(spmmi_rows_blocks_with(4, 540672, 8, 4, 5, MULTIPROCESSORS).group_nonzeros, 72);
}

/* Boundaries move back by at most 1 / slack of a block, and always by less than a block. */
static void blocks_keep_a_nonzero(void **state)
{
    (void)state;
    for (uint64_t slack = 1; slack <= 4; slack *= 2)
        for (uint64_t nnz = 0; nnz < 10000000; nnz = 3 * nnz + 1) {
            const struct spmmi_rows_blocks b = spmmi_rows_blocks_with(slack, nnz, 8, 4, 2, MULTIPROCESSORS);
            const uint64_t most = spmmi_rows_move_max(&b);
            assert_true(b.nonzeros > 0 && most < b.nonzeros);
            assert_int_equal(most, slack == 1 ? b.nonzeros - 1 : b.nonzeros / slack);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_workspace_are_apart),
        cmocka_unit_test(passes_limit_the_workspace),
        cmocka_unit_test(one_column_of_a_row_split_has_kernels_of_its_own),
        cmocka_unit_test(few_columns_of_a_nonzero_split_are_staged),
        cmocka_unit_test(teams_are_whole_in_their_blocks),
        cmocka_unit_test(short_rows_have_a_group_each),
        cmocka_unit_test(teams_store_small_columns),
        cmocka_unit_test(small_columns_are_not_converted),
        cmocka_unit_test(conversions_before_kept_columns_take_shared_memory),
        cmocka_unit_test(launches_are_of_enough_blocks),
        cmocka_unit_test(groups_share_the_nonzeros_of_all_waves),
        cmocka_unit_test(blocks_keep_a_nonzero),
        cmocka_unit_test(crowded_waves_are_of_all_tiles_of_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
