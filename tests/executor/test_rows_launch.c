/* SPDX-License-Identifier: Apache-2.0 */
/* Columns per lane of the rows family on a GPU, by the width, leading dimensions and addresses of B and C. A
 * lane never loads or stores a word to which its operand is not aligned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/rows/rows_launch_cuda.h"

#define ROWS 1000000 /* so many that column-major C is converted */
#define BLOCKS 5000  /* with 200 rows on average */
#define BASE 256     /* an address that nothing reads */

static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT};
static const spmm_dtype_t f32_only[] = {SPMM_F32, SPMM_F32, SPMM_F32};

/* An operand: its layout, leading dimension minus n in elements, and offset of its address in elements. */
struct place {
    spmm_layout_t layout;
    int64_t gap, shift;
};

static spmm_dense_t operand(const struct place *place, int64_t n, spmm_dtype_t type)
{
    const int64_t least = place->layout == SPMM_ROW_MAJOR ? n : ROWS;
    void *const data = (void *)(uintptr_t)(BASE + (uint64_t)place->shift * spmm_dtype_size(type));
    return (spmm_dense_t){data, ROWS, n, least + place->gap, place->layout, type};
}

/* Sizes of a matrix and of its items. */
struct sizes {
    uint32_t nnz, empty_count, most_rows, item_size;
};

/* types: the types of A, B and C. */
static struct spmmi_rows_launch launch_of_sizes(struct sizes sizes, int64_t n, const struct place *of_b,
                                                const struct place *of_c, const spmm_dtype_t *types,
                                                spmm_schedule_t schedule)
{
    static const struct spmmi_device device = {.target = 90, .multiprocessors = 132, .can_overlap = 1};
    struct spmmi_grid_blocks staged[SPMMI_STAGED_GRIDS], blocks[SPMMI_ROWS_GRIDS];
    const spmm_dense_t b = operand(of_b, n, types[1]), c = operand(of_c, n, types[2]);
    for (int i = 0; i < SPMMI_STAGED_GRIDS; i++) /* with so many blocks staging never pays */
        staged[i] = (struct spmmi_grid_blocks){NULL, UINT32_MAX, SPMMI_STAGED_NONZEROS_MIN, 0};
    for (int i = 0; i < SPMMI_ROWS_GRIDS; i++)
        blocks[i] = (struct spmmi_grid_blocks){NULL, BLOCKS, 8, sizes.most_rows};
    const struct spmmi_rows_problem problem = {.rows = ROWS,
                                               .cols = ROWS,
                                               .nnz = sizes.nnz,
                                               .ranks = ROWS - sizes.empty_count,
                                               .item_count = ROWS,
                                               .item_size = sizes.item_size,
                                               .schedule = schedule,
                                               .dtype = types[0],
                                               .forced_share = 1, /* whatever the lengths of rows */
                                               .b = &b,
                                               .c = &c,
                                               .blocks = blocks,
                                               .staged = staged};
    struct spmmi_rows_launch launch;
    spmmi_rows_launch_plan(&problem, &device, &launch);
    return launch;
}

static struct spmmi_rows_launch launch_of(int64_t n, const struct place *b, const struct place *c,
                                          const spmm_dtype_t *types, spmm_schedule_t schedule)
{
    return launch_of_sizes((struct sizes){8 * ROWS, 0, 400, 8}, n, b, c, types, schedule);
}

static void assert_shape(int64_t n, const struct place *b, const struct place *c, const spmm_dtype_t *types,
                         uint32_t vec, uint32_t lanes)
{
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++) {
        const struct spmmi_rows_launch launch = launch_of(n, b, c, types, schedules[i]);
        assert_int_equal(launch.shape.way, SPMMI_ROWS_COLUMNS);
        assert_int_equal(launch.shape.vec, vec);
        assert_int_equal(launch.shape.lanes, lanes);
    }
}

static void packed_rows_take_what_divides_n(void **state)
{
    static const int64_t cases[][3] = {/* n, columns per lane, lanes */
                                       {2, 2, 1},   {6, 2, 4},   {10, 2, 8},  {18, 2, 16}, {34, 2, 32},
                                       {66, 2, 32}, {8, 4, 2},   {36, 4, 16}, {3, 1, 4},   {7, 1, 8},
                                       {31, 1, 32}, {33, 3, 16}, {65, 3, 32}};
    const struct place packed = {SPMM_ROW_MAJOR, 0, 0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_shape(cases[i][0], &packed, &packed, f32_only, (uint32_t)cases[i][1], (uint32_t)cases[i][2]);
}

/* The leading dimension or address with the smallest alignment decides, whether it is of B or C. */
static void the_least_aligned_operand_decides(void **state)
{
    static const uint32_t expected[] = {4, 1, 2, 1}; /* by elements past a word of 16 bytes */
    const struct place packed = {SPMM_ROW_MAJOR, 0, 0};
    (void)state;
    for (int64_t away = 0; away < 4; away++) {
        const struct place moved[] = {{SPMM_ROW_MAJOR, away, 0}, {SPMM_ROW_MAJOR, 0, away}};
        const uint32_t vec = expected[away], lanes = 32 / vec;
        for (int i = 0; i < 2; i++) {
            assert_shape(32, &moved[i], &packed, f32_only, vec, lanes);
            assert_shape(32, &packed, &moved[i], f32_only, vec, lanes);
        }
    }
    /* n is even, and one operand is aligned only to its elements: single columns, or three that are not
     * adjacent. */
    const struct place odd_ld = {SPMM_ROW_MAJOR, 1, 0}, odd_address = {SPMM_ROW_MAJOR, 0, 1};
    assert_shape(34, &odd_ld, &packed, f32_only, 3, 16);
    assert_shape(34, &packed, &odd_address, f32_only, 3, 16);
    assert_shape(50, &packed, &odd_address, f32_only, 3, 32);
    assert_shape(32, &packed, &odd_address, f32_only, 1, 32);
    assert_shape(6, &odd_address, &packed, f32_only, 1, 8);
}

static void scratch_is_of_whole_words(void **state)
{
    const struct place rows = {SPMM_ROW_MAJOR, 0, 0}, columns = {SPMM_COL_MAJOR, 1, 1};
    (void)state;
    assert_shape(34, &columns, &columns, f32_only, 4, 16);
    assert_shape(33, &columns, &columns, f32_only, 4, 16);
    /* A row-major operand of the caller still decides. */
    assert_shape(34, &columns, &rows, f32_only, 2, 32);
    assert_shape(34, &rows, &columns, f32_only, 2, 32);
    assert_shape(33, &columns, &rows, f32_only, 3, 16);
    assert_shape(33, &rows, &columns, f32_only, 1, 32);
}

/* Elements after n in the caller's rows are not accessed, even if they complete an aligned word. */
static void padded_rows_take_what_divides_n(void **state)
{
    const struct place padded = {SPMM_ROW_MAJOR, 3, 0}, columns = {SPMM_COL_MAJOR, 1, 1};
    (void)state;
    assert_shape(33, &padded, &padded, f32_only, 3, 16);
    assert_shape(33, &columns, &padded, f32_only, 3, 16);
    assert_shape(33, &padded, &columns, f32_only, 1, 32);
    assert_shape(29, &padded, &padded, f32_only, 1, 32);
}

/* Columns per lane for other types, n = 34. 16-bit types have pairs only if all types are equal. */
static void types_have_the_pairs_that_kernels_have(void **state)
{
    static const struct {
        spmm_dtype_t types[3];
        uint32_t vec, lanes;
    } cases[] = {{{SPMM_F64, SPMM_F64, SPMM_F64}, 2, 32},
                 {{SPMM_F16, SPMM_F16, SPMM_F16}, 2, 32},
                 {{SPMM_BF16, SPMM_BF16, SPMM_BF16}, 2, 32},
                 {{SPMM_F32, SPMM_F16, SPMM_F16}, 1, 32},
                 {{SPMM_F16, SPMM_F16, SPMM_F32}, 1, 32}};
    const struct place packed = {SPMM_ROW_MAJOR, 0, 0}, odd_address = {SPMM_ROW_MAJOR, 0, 1};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_shape(34, &packed, &packed, cases[i].types, cases[i].vec, cases[i].lanes);
        assert_shape(34, &odd_address, &packed, cases[i].types, 1, 32);
    }
    /* Eight 16-bit columns are one word of B and two words of f32 C. C is stored word by word. */
    const struct place words = {SPMM_ROW_MAJOR, 4, 0};
    assert_shape(40, &packed, &words, cases[4].types, 8, 8);
}

/* 132 multiprocessors: a wave of a row split has 660 thread blocks, or 792. */
static void one_block_more_where_it_saves_a_wave(void **state)
{
    static const struct {
        uint64_t blocks;
        int is_crowded;
    } cases[] = {{1, 0}, {660, 0}, {661, 1}, {792, 1}, {793, 0}, {1320, 0}, {1321, 1}, {1584, 1}, {1585, 0}};
    const struct place packed = {SPMM_ROW_MAJOR, 0, 0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_rows_is_crowded(cases[i].blocks, 132), cases[i].is_crowded);
    assert_true(launch_of(16, &packed, &packed, f32_only, SPMM_SCHEDULE_ROW_SPLIT).is_crowded);
    assert_false(launch_of(16, &packed, &packed, f32_only, SPMM_SCHEDULE_NONZERO_SPLIT).is_crowded);
}

/* 132 multiprocessors with 5 thread blocks each. nnz / ranks is the mean row length; the longest row counts
 * too. */
static void groups_share_rows_where_that_shortens_the_walk(void **state)
{
    static const struct {
        uint64_t nnz, ranks, longest, tiles;
        uint32_t lanes, share;
    } cases[] = {{84000, 2000, 95, 1, 1, 16},    /* bcsstk13 */
                 {84000, 2000, 95, 1, 2, 16},    /* 32 would be two warps */
                 {84000, 2000, 95, 1, 8, 8},     /* eight are one wave */
                 {84000, 2000, 95, 1, 16, 4},    /* eight would be two waves */
                 {84000, 2000, 95, 1, 32, 2},    /* four would be two waves */
                 {84000, 2000, 95, 2, 32, 2},    /* two waves, but the longest row is long */
                 {150000, 3136, 48, 1, 32, 1},   /* equal rows: two waves are slower than one */
                 {150000, 3136, 48, 2, 32, 2},   /* three waves of half the length beat two */
                 {4000000, 1000000, 4, 1, 2, 1}, /* one step per row */
                 {160, 20, 16, 1, 16, 2},        /* four are two warps, one more step to join */
                 {1500, 500, 300, 2, 16, 16},    /* two waves; eight: one, but twice the longest row */
                 {20, 20, 4, 1, 1, 2},           /* four nonzeros may lie in two quads */
                 {20, 20, 3, 1, 1, 1},
                 {1000000, 1, 1000000, 1, 1, 32}, /* the maximum, though a block can hold more */
                 {1000, 1, 1000, 1, 32, 8},
                 {0, 0, 0, 1, 1, 1},
                 {5, 5, 1, 1, 1, 1}}; /* one quad per row */
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(spmmi_rows_share_of(cases[i].nnz, cases[i].ranks, cases[i].longest, cases[i].lanes,
                                             cases[i].tiles, (uint64_t)132 * 5),
                         cases[i].share);
}

/* Blocks keep the sums of column-major C in tiles of 32 columns, unless a block would have too many rows to
 * store. */
static void columns_are_kept_where_blocks_have_room(void **state)
{
    static const spmm_dtype_t f64_only[] = {SPMM_F64, SPMM_F64, SPMM_F64};
    static const spmm_dtype_t mixed[] = {SPMM_F32, SPMM_F16, SPMM_F16};
    static const struct place rows = {SPMM_ROW_MAJOR, 0, 0}, columns = {SPMM_COL_MAJOR, 1, 1};
    static const struct {
        struct sizes sizes;
        const struct place *b;
        const spmm_dtype_t *types;
        int of_rows, of_nonzeros; /* row split, nonzero split: whether C is kept */
    } cases[] = {{{4 * ROWS, 0, 400, 8}, &columns, f32_only, 1, 1},
                 {{4 * ROWS, 0, 400, 8}, &columns, f64_only, 1, 1},
                 {{4 * ROWS, 0, 556, 16}, &columns, f32_only, 0, 1},
                 {{4 * ROWS, 0, 557, 4}, &columns, f32_only, 1, 0},
                 {{4 * ROWS, 0, 435, 8}, &columns, f64_only, 1, 1},
                 {{4 * ROWS, 0, 436, 8}, &columns, f64_only, 1, 0},
                 {{4 * ROWS, 1, 400, 8}, &columns, f32_only, 0, 1},
                 {{4 * ROWS, 0, 400, 8}, &rows, f32_only, 0, 0},
                 {{4 * ROWS, 0, 400, 8}, &columns, mixed, 0, 0},
                 {{4 * ROWS, 0, 400, 0}, &columns, f32_only, 0, 1}, /* no items */
                 {{6 * ROWS, 0, 400, 8}, &columns, f32_only, 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int k = 0; k < 2; k++) {
            const struct spmmi_rows_launch launch =
                launch_of_sizes(cases[i].sizes, 200, cases[i].b, &columns, cases[i].types, schedules[k]);
            const int is_kept = k == 0 ? cases[i].of_rows : cases[i].of_nonzeros;
            assert_int_equal(launch.keeps_c, is_kept);
            assert_int_equal(launch.converts_c, !is_kept);
            if (is_kept)
                assert_int_equal(launch.shape.lanes * launch.shape.vec, 32);
        }
}

/* Nonzero split of a small matrix: the blocks of two or four column tiles fill one wave together. Blocks of
 * pieces do not. */
static void tiles_of_small_products_share_a_wave(void **state)
{
    static const struct spmmi_device device = {.target = 90, .multiprocessors = 132, .l2_bytes = 52428800};
    static const struct {
        int64_t n;
        uint32_t nnz, pieces;
        int grid;
        int64_t rows, cols;
    } cases[] = {{64, 50000, 0, 4, 2000, 2000},   {128, 50000, 0, 5, 2000, 2000},
                 {256, 50000, 0, 6, 2000, 2000},  {512, 50000, 0, 7, 2000, 2000},
                 {512, 50000, 1, 5, 2000, 2000},  {512, 150000, 0, 6, 2000, 2000},
                 {512, 500000, 0, 5, 2000, 2000}, {4096, 50000, 0, 7, 2000, 2000},
                 {512, 50000, 0, 7, 8960, 8960},  {512, 50000, 0, 6, 8960, 8961}}; /* 0.7 of the L2 cache */
    struct spmmi_grid_blocks blocks[SPMMI_ROWS_GRIDS];
    (void)state;
    for (int i = 0; i < SPMMI_ROWS_GRIDS; i++)
        blocks[i] = (struct spmmi_grid_blocks){NULL, (uint32_t)i + 1, 8, 0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const spmm_dense_t b = {(void *)(uintptr_t)BASE, 2000,    cases[i].n, cases[i].n,
                                SPMM_ROW_MAJOR,          SPMM_F32};
        const struct spmmi_rows_problem problem = {.rows = cases[i].rows,
                                                   .cols = cases[i].cols,
                                                   .nnz = cases[i].nnz,
                                                   .ranks = 2000,
                                                   .item_size = 8,
                                                   .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                                   .dtype = SPMM_F32,
                                                   .piece_count = cases[i].pieces,
                                                   .b = &b,
                                                   .c = &b,
                                                   .blocks = blocks,
                                                   .staged = blocks};
        struct spmmi_rows_launch launch;
        spmmi_rows_launch_plan(&problem, &device, &launch);
        assert_int_equal(launch.grid, cases[i].grid);
        assert_int_equal(launch.block_count, cases[i].grid + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_small_products_share_a_wave),
        cmocka_unit_test(one_block_more_where_it_saves_a_wave),
        cmocka_unit_test(groups_share_rows_where_that_shortens_the_walk),
        cmocka_unit_test(columns_are_kept_where_blocks_have_room),
        cmocka_unit_test(packed_rows_take_what_divides_n),
        cmocka_unit_test(the_least_aligned_operand_decides),
        cmocka_unit_test(scratch_is_of_whole_words),
        cmocka_unit_test(padded_rows_take_what_divides_n),
        cmocka_unit_test(types_have_the_pairs_that_kernels_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
