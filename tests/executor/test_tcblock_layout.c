/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of the window, panel and bcsr families: computed by hand for small matrices, and compared
 * with a slow and plain construction for every named matrix. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "executor/pack/op_pattern.h"
#include "format/base/alloc.h"
#include "tcblock_built.h"
#include "kernels/bcsr/bcsr_pack.h"
#include "kernels/bcsr/bcsr_shape.h"
#include "kernels/panel/panel_shape.h"
#include "kernels/tcblock/tcblock_store.h"
#include "tests/support/tcblock_kind_of.h"
#include "tests/support/scorecard.h"

#define ONE_UNIT 7 /* the shape for which "power law" is one unit */

#define ASSERT_ARRAY(got, ...)                                           \
    do {                                                                 \
        const uint64_t wanted[] = {__VA_ARGS__};                         \
        for (size_t at = 0; at < sizeof wanted / sizeof wanted[0]; at++) \
            assert_int_equal((got)[at], wanted[at]);                     \
    } while (0)

#define NONE SPMMI_TCBLOCK_NONE

static void a_row_window_worked_out_by_hand(void **state)
{
    (void)state;
    /* Ten columns 0, 2, 3 .. 9, 11 of three rows: one step of eight, and one with 9 and 11, padded with 11.
     * Positions 0 .. 7 are stored at 0, 2, 4, 6, 1, 3, 5, 7 in a row of a block. */
    const int32_t columns[] = {0, 3, 9, -1, -1, 2, 3, 4, 5, 6, 7, 8, 9, 11, -1};
    const struct tcblock_shape shape = {
        SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, SPMMI_STEPS_MAX, 0, SPMM_F32};
    struct tcblock_built b = tcblock_built_make(tcblock_matrix_of(3, 12, columns), &shape);
    const struct spmmi_tcblocks *f = &b.layout.view;
    assert_int_equal(f->unit_count, 1);
    assert_int_equal(f->step_count, 2);
    assert_int_equal(f->block_count, 2);
    assert_int_equal(f->item_count, 1);
    assert_int_equal(f->slot_count, 0);
    assert_int_equal(f->split_count, 0);
    assert_int_equal(f->value_count, 12);
    assert_int_equal(f->step_blocks_max, 1);
    assert_int_equal(f->step_values_max, 9);
    assert_null(f->locals);
    assert_null(f->block_first);
    ASSERT_ARRAY(f->row_of, 0, 1, 2, NONE, NONE, NONE, NONE, NONE);
    ASSERT_ARRAY(f->columns, 0, 5, 2, 6, 3, 7, 4, 8, 9, 11, 11, 11, 11, 11, 11, 11, 0);
    /* Step 0: row 0 has positions 0 and 2, row 2 has 1 to 7. Step 1: row 0 has position 0, row 2 has 0 and
     * 1. */
    ASSERT_ARRAY(f->bitmaps, 0xfe0011, 0x050001, 0);
    ASSERT_ARRAY(f->value_first, 0, 9, 12);
    /* Row 2 in register order: columns 5, 2, 6, 3, 7, 4, 8, from index 2 on. */
    ASSERT_ARRAY(b.layout.value_map, 0, 1, 9, 3, 5, 7, 2, 4, 6, 8, 10, 11);
    assert_int_equal(f->items[0].unit, 0);
    assert_int_equal(f->items[0].begin, 0);
    assert_int_equal(f->items[0].end, 2);
    assert_int_equal(f->items[0].slot, NONE);
    tcblock_built_free(&b);
}

static void a_row_block_worked_out_by_hand(void **state)
{
    (void)state;
    /* Row 0 is in window 0, rows 8 and 9 are in window 1, row 64 alone is in row block 1. Row block 0 has
     * columns 0 .. 8, 12 and 20 .. 147. Local rows 0 .. 127 are columns 0 .. 8, 12, 20 .. 137; a second step
     * has 138 .. 147. */
    int32_t columns[66 + 128 + 10 + 2 + 1];
    size_t end = 0;
    for (int32_t column = 20; column < 148; column++)
        columns[end++] = column;
    for (int i = 0; i < 8; i++) /* ends of rows 0 .. 7 */
        columns[end++] = -1;
    for (int32_t column = 0; column < 9; column++)
        columns[end++] = column;
    columns[end++] = 147;
    columns[end++] = -1;
    columns[end++] = 4; /* row 9 */
    columns[end++] = 12;
    columns[end++] = -1;
    for (int i = 10; i < 64; i++)
        columns[end++] = -1;
    columns[end++] = 19; /* row 64 */
    columns[end++] = -1;
    columns[end++] = -1;
    assert_int_equal(end, sizeof columns / sizeof columns[0]);
    const struct tcblock_shape shape = {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 0, SPMM_F32};
    struct tcblock_built b = tcblock_built_make(tcblock_matrix_of(66, 148, columns), &shape);
    const struct spmmi_tcblocks *f = &b.layout.view;
    assert_int_equal(f->unit_count, 2);
    assert_int_equal(f->step_count, 3);
    /* Step 0: 118 columns of window 0 are 15 blocks, 10 of window 1 are two. Step 1: 10 of window 0, 1 of
     * window 1. */
    assert_int_equal(f->block_count, 17 + 3 + 1);
    assert_int_equal(f->step_blocks_max, 17);
    assert_int_equal(f->value_count,
                     132 + 12 + 4); /* 118 + 11, 10 + 1 and 1 values, each step padded to 16 bytes */
    assert_int_equal(f->step_values_max, 132);
    ASSERT_ARRAY(f->columns, 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 21);
    ASSERT_ARRAY(f->columns + 126, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 147, 147);
    ASSERT_ARRAY(f->columns + 254, 147, 147, 19, 19);
    ASSERT_ARRAY(f->block_first, 0, 15, 17, 17, 17, 17, 17, 17, 17, 19, 20, 20, 20, 20, 20, 20, 20, 21, 21);
    /* Window 0 has local rows 10 .. 127: 29 with residues 0 and 1, 30 with residues 2 and 3, which are
     * therefore first, in ascending order. The lanes have positions 0 and 4, 1 and 5, 2 and 6, 3 and 7. */
    ASSERT_ARRAY(f->locals, 10, 14, 11, 15, 12, 16, 13, 17, 18, 22, 19, 23, 20, 24, 21, 25);
    /* Window 1 has local rows 0 .. 9: first 0, 1, 2, 3, then 4, 5, 6, 7, then 8, 9 and six positions that
     * repeat 8. */
    ASSERT_ARRAY(f->locals + 8 * 15, 0, 4, 1, 5, 2, 6, 3, 7, 8, 8, 9, 8, 8, 8, 8, 8);
    /* Row 8 has local rows 0 .. 8. Row 9 has columns 4 and 12, which are local rows 4 and 9. */
    ASSERT_ARRAY(f->bitmaps + 15, 0x02ff, 0x0401);
    ASSERT_ARRAY(f->value_first + 14, 112, 118, 127, 132, 140, 142, 144, 148);
    /* In step 1 window 0 has local rows 0 .. 9, window 1 has local row 9. */
    ASSERT_ARRAY(f->locals + 8 * 17, 0, 4, 1, 5, 2, 6, 3, 7, 8, 8, 9, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9);
    ASSERT_ARRAY(f->bitmaps + 17, 0xff, 0x05, 0x01, 0x01);
    ASSERT_ARRAY(b.layout.value_map, 0, 2, 4, 6, 1, 3, 5, 7); /* columns 20 .. 27 */
    ASSERT_ARRAY(b.layout.value_map + 118, 132, 134, 136, 138, 133, 135, 137, 139, 140, 141);
    ASSERT_ARRAY(b.layout.value_map + 128, 118, 120, 122, 124, 119, 121, 123, 125, 127, 142, /* row 9 */ 126,
                 128, /* row 64 */ 144);
    assert_int_equal(f->item_count, 3);
    assert_int_equal(f->slot_count, 2);
    assert_int_equal(f->split_count, 1);
    assert_int_equal(f->items[1].begin, 1);
    assert_int_equal(f->items[1].slot, 1);
    assert_int_equal(f->items[2].unit, 1);
    assert_int_equal(f->items[2].slot, NONE);
    assert_int_equal(f->splits[0].unit, 0);
    assert_int_equal(f->splits[0].first, 0);
    assert_int_equal(f->splits[0].count, 2);
    tcblock_built_free(&b);
}

static void a_block_row_group_worked_out_by_hand(void **state)
{
    (void)state;
    /* Block-row group 0 of the 66 rows: row 1 has columns 0, 7 and 8, row 9 has 6, row 20 has 25 and 71, row
     * 63 has 40 and 48. Block-row group 1: row 65 has 71. The block columns of group 0, 8 wide, are 0, 1, 3,
     * 5 and 6, 8. The last block column ends with the matrix at 9 * 8. */
    int32_t columns[9 + 66];
    size_t end = 0;
    static const struct {
        int row, column;
    } values[] = {{1, 0}, {1, 7}, {1, 8}, {9, 6}, {20, 25}, {20, 71}, {63, 40}, {63, 48}, {65, 71}};
    for (int row = 0; row < 66; row++) {
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
            if (values[i].row == row)
                columns[end++] = values[i].column;
        columns[end++] = -1;
    }
    const struct tcblock_shape shape = {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1, 0, SPMM_F32};
    struct tcblock_built b = tcblock_built_make(tcblock_matrix_of(66, 72, columns), &shape);
    const struct spmmi_tcblocks *f = &b.layout.view;
    assert_int_equal(f->unit_count, 2);
    assert_int_equal(f->step_count, 3);
    ASSERT_ARRAY(f->columns, 0, 8, 24, 40, 48, 64, 64, 64, 64, 64, 64, 64, 0);
    /* Step 0: block row 0 has block columns 0 and 1 of the step, block row 1 has 2, block row 3 has 3. Step
     * 1: block row 3 has 0, block row 1 has 1. */
    ASSERT_ARRAY(f->masks, 0x8043, 0x1020, 0x0001, 0);
    ASSERT_ARRAY(f->block_first, 0, 4, 6, 7, 0);
    assert_int_equal(f->block_count, 7);
    assert_int_equal(f->step_blocks_max, 4);
    assert_int_equal(f->step_values_max, 512);
    assert_int_equal(spmmi_bcsr_kind.reach(f),
                     (48 + 24 + 8) / 3); /* items with columns 0 .. 47, 48 .. 71 and 64 .. 71 */
    assert_int_equal(f->value_count, 7 * 128);
    /* Two words per block, eight bits per row. First block: row 1 has bits 8 and 15, row 9 has bit 8 * 9 +
     * 6. */
    ASSERT_ARRAY(f->bitmaps, 0x8100, 0x4000, 0x0100, 0, UINT64_C(1) << 33, 0, 0,
                 UINT64_C(1) << 56, /* 20, 71 */
                 UINT64_C(1) << 39, 0, /* 63, 48 */ 0, UINT64_C(1) << 56, /* 65, 71 */ 0x8000, 0);
    /* Row 1, column 0: lane 4. Row 1, column 7: lane 7, value 2. Row 9, column 6: lane 6, value 3. */
    ASSERT_ARRAY(b.layout.value_map, 16, 30, 128 + 16, 27);
    /* Row 20 is row 4 of its block: columns 1 and 7. Row 63 is row 15: column 0. Row 65 is row 1: column
     * 7. */
    ASSERT_ARRAY(b.layout.value_map + 4, 256 + 4 * 17, 512 + 4 * 19 + 2, 384 + 4 * 28 + 1, 640 + 4 * 28 + 1,
                 768 + 30);
    assert_int_equal(f->item_count, 3);
    assert_int_equal(f->slot_count, 2);
    assert_int_equal(f->split_count, 1);
    tcblock_built_free(&b);
}

static void positions_of_16_bit_and_f64_values_worked_out_by_hand(void **state)
{
    (void)state;
    /* A lane has pairs of adjacent columns, followed by the lower half of the block, then by the right
     * half. */
    assert_int_equal(spmmi_tcblock_wide_position(2, 0, 1), 1);
    assert_int_equal(spmmi_tcblock_wide_position(2, 8, 0), 2);
    assert_int_equal(spmmi_tcblock_wide_position(2, 0, 8), 4);
    assert_int_equal(spmmi_tcblock_wide_position(2, 15, 15), 255);
    assert_int_equal(spmmi_tcblock_wide_position(2, 3, 6), 8 * 15);
    /* 16 bytes are two doubles: rows r and r + 8 are adjacent. Columns 4 to 7 follow after all lanes. */
    assert_int_equal(spmmi_tcblock_wide_position(8, 8, 0), 1);
    assert_int_equal(spmmi_tcblock_wide_position(8, 0, 1), 2);
    assert_int_equal(spmmi_tcblock_wide_position(8, 0, 4), 64);
    assert_int_equal(spmmi_tcblock_wide_position(8, 15, 7), 127);
}

static void every_value_is_where_a_plain_construction_puts_it(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            struct tcblock_built b =
                tcblock_built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            if (tcblock_shapes[s].family == SPMM_FAMILY_BCSR)
                bcsr_literal_check(&b);
            else
                tcblock_literal_check(&b);
            tcblock_built_free(&b);
        }
}

/* Builds the layout with this limit for kept units and checks it. Returns the number of units. */
static uint32_t built_with_room(const struct tcblock_shape *shape, uint64_t room)
{
    spmmi_store_max_hook = room;
    spmmi_store_kept_hook = spmmi_store_refused_hook = 0;
    struct tcblock_built b = tcblock_built_make(test_matrix_named("power law", TEST_VALUES_INTEGER), shape);
    spmmi_store_max_hook = SPMMI_STORE_MAX;
    if (shape->family == SPMM_FAMILY_BCSR)
        bcsr_literal_check(&b);
    else
        tcblock_literal_check(&b);
    const uint32_t units = b.layout.view.unit_count;
    tcblock_built_free(&b);
    return units;
}

/* First no unit is kept. Then the limit shrinks until some units are kept and others are not, whichever
 * thread reads them. */
static void units_that_are_not_kept_are_read_again(void **state)
{
    (void)state;
    const int threads_before = omp_get_max_threads();
    omp_set_num_threads(2);
    for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
        const uint32_t units = built_with_room(&tcblock_shapes[s], 0);
        assert_int_equal(spmmi_store_kept_hook, 0);
        for (uint64_t room = 30000; units > 1 && (room == 30000 || spmmi_store_refused_hook == 0);
             room = room * 3 / 4)
            (void)built_with_room(&tcblock_shapes[s], room);
        if (units > 1)
            assert_in_range(spmmi_store_kept_hook, 1, units - 1);
        assert_int_equal(units > 1, s != ONE_UNIT);
    }
    omp_set_num_threads(threads_before);
}

static void a_request_that_does_not_fit_leaves_room_for_smaller_ones(void **state)
{
    (void)state;
    struct spmmi_tcblock_store store;
    struct spmmi_tcblock_chunk chunk = {NULL, 0};
    spmmi_store_make(4, 1024, 1, 1024 + 4 * sizeof *store.kept, &store);
    assert_non_null(store.memory);
    assert_null(spmmi_store_take(&store, &chunk, 1025));
    assert_int_equal(store.taken, 0);
    assert_ptr_equal(spmmi_store_take(&store, &chunk, 1000), store.memory);
    assert_null(spmmi_store_take(&store, &chunk, 100));
    assert_non_null(spmmi_store_take(&store, &chunk, 10));
    spmmi_store_free(&store);
}

static void units_are_kept_only_where_there_is_memory(void **state)
{
    (void)state;
    struct spmmi_tcblock_store store;
    spmmi_store_make(4, 1024, 1, 4 * sizeof *store.kept, &store);
    assert_null(store.memory);
    for (int k = 0; k < 2; k++) {
        spmmi_alloc_fail_at(k, 0);
        spmmi_store_make(4, 1024, 1, 4096, &store);
        spmmi_alloc_fail_at(-1, 0);
        assert_null(store.memory);
        assert_int_equal(store.bytes, 0);
        spmmi_store_free(&store);
    }
}

/* Five nonzeros of three rows, in block columns 0 and k. Near columns are found with marks, others by a sort
 * of one or two bytes. */
static void block_columns_are_found_however_far_apart(void **state)
{
    const struct tcblock_shape shape = {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, SPMMI_STEPS_MAX, 0,
                                        SPMM_F32};
    (void)state;
    for (int32_t k = 0; k < 300; k++) {
        const int32_t far = 8 * k + 4;
        int32_t columns[5 + 15 + 3] = {0, far, -1, far + 1, -1};
        memset(columns + 5, 0xff, 15 * sizeof *columns); /* 15 empty rows */
        columns[20] = 3, columns[21] = far, columns[22] = -1;
        struct tcblock_built b = tcblock_built_make(tcblock_matrix_of(18, 2400, columns), &shape);
        assert_int_equal(b.a->nnz, 5);
        bcsr_literal_check(&b);
        tcblock_built_free(&b);
    }
}

static void padding_is_zero_and_bytes_are_exact(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            struct tcblock_built b =
                tcblock_built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            struct tcblock_array arrays[TCBLOCK_ARRAYS];
            uint64_t bytes = 0;
            tcblock_arrays_of(&b.layout.view, arrays);
            for (int i = 0; i < TCBLOCK_ARRAYS; i++) {
                if (arrays[i].entries == NULL)
                    continue;
                const uint8_t *pad = (const uint8_t *)arrays[i].entries + arrays[i].count * arrays[i].size;
                for (uint64_t at = 0; at < arrays[i].pad * arrays[i].size; at++)
                    assert_int_equal(pad[at], 0);
                bytes += (arrays[i].count + arrays[i].pad) * arrays[i].size;
            }
            assert_int_equal(spmmi_tcblocks_bytes(&b.layout.view), bytes);
            tcblock_built_free(&b);
        }
}

static void counts_are_those_of_the_layout(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            struct tcblock_built b =
                tcblock_built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            struct spmmi_tcblocks counts, wanted = b.layout.view;
            uint64_t scratch = 0;
            wanted.row_of = wanted.columns = wanted.block_first = wanted.masks = wanted.value_first = NULL;
            wanted.locals = NULL;
            wanted.bitmaps = NULL;
            wanted.items = NULL;
            wanted.splits = NULL;
            assert_int_equal(spmmi_tcblocks_count(test_tcblock_kind_of(&b.part), b.a->rows, b.a->cols,
                                                  b.a->row_ptr, b.a->col_ind, &b.part,
                                                  tcblock_shapes[s].dtype, &counts, &scratch, NULL),
                             SPMM_OK);
            assert_memory_equal(&counts, &wanted, sizeof counts);
            tcblock_built_free(&b);
        }
}

static void threads_change_nothing(void **state)
{
    (void)state;
    const int threads_before = omp_get_max_threads();
    static const char *const names[] = {"9000 x 1 dense", "power law", "band", "dense row among sparse"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            omp_set_num_threads(1);
            struct tcblock_built one =
                tcblock_built_make(test_matrix_named(names[i], TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            omp_set_num_threads(8);
            struct tcblock_built many =
                tcblock_built_make(test_matrix_named(names[i], TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            struct tcblock_array arrays[2][TCBLOCK_ARRAYS];
            tcblock_arrays_of(&one.layout.view, arrays[0]);
            tcblock_arrays_of(&many.layout.view, arrays[1]);
            for (int k = 0; k < TCBLOCK_ARRAYS; k++) {
                assert_int_equal(arrays[0][k].count, arrays[1][k].count);
                if (arrays[0][k].entries != NULL)
                    assert_memory_equal(arrays[0][k].entries, arrays[1][k].entries,
                                        arrays[0][k].count * arrays[0][k].size);
            }
            assert_memory_equal(one.layout.value_map, many.layout.value_map,
                                (size_t)one.a->nnz * sizeof *one.layout.value_map);
            tcblock_built_free(&one);
            tcblock_built_free(&many);
        }
    omp_set_num_threads(threads_before);
}

static void the_map_of_a_transpose_is_in_the_order_of_a(void **state)
{
    (void)state;
    struct tcblock_built b =
        tcblock_built_make(test_matrix_named("arrow", TEST_VALUES_INTEGER), &tcblock_shapes[1]);
    int64_t *t_map = calloc((size_t)b.a->nnz, sizeof *t_map);
    uint32_t *before = calloc((size_t)b.a->nnz, sizeof *before);
    assert_true(t_map != NULL && before != NULL);
    for (int64_t q = 0; q < b.a->nnz; q++)
        t_map[q] = b.a->nnz - 1 - q;
    memcpy(before, b.layout.value_map, (size_t)b.a->nnz * sizeof *before);
    assert_int_equal(spmmi_op_pattern_map_from_a(&b.layout.value_map, b.a->nnz, t_map, NULL), SPMM_OK);
    for (int64_t q = 0; q < b.a->nnz; q++)
        assert_int_equal(b.layout.value_map[t_map[q]], before[q]);
    free(before);
    free(t_map);
    tcblock_built_free(&b);
}

static void too_many_nonzeros_are_refused(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, INT64_C(1) << 32};
    const struct spmmi_part part = {.family = SPMM_FAMILY_WINDOW,
                                    .schedule = SPMM_SCHEDULE_PACKED,
                                    .item_size = 1,
                                    .item_count = 1,
                                    .block_rows = 8};
    struct spmmi_tcblock_layout layout;
    struct spmmi_tcblocks counts;
    uint64_t scratch = 0;
    assert_int_equal(spmmi_tcblocks_build(test_tcblock_kind_of(&part), 1, INT64_C(1) << 32, row_ptr, NULL,
                                          &part, SPMM_F32, &layout, NULL),
                     SPMM_ERR_TOO_LARGE);
    assert_int_equal(spmmi_tcblocks_count(test_tcblock_kind_of(&part), 1, INT64_C(1) << 32, row_ptr, NULL,
                                          &part, SPMM_F32, &counts, &scratch, NULL),
                     SPMM_ERR_TOO_LARGE);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_INTEGER);
    for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
        struct spmmi_part part = tcblock_part_of(&tcblock_shapes[s], a->rows);
        const int64_t live = spmmi_alloc_live();
        int64_t k = 0, refused = 0, failed = -1;
        for (; failed != 0; k++) {
            struct spmmi_tcblock_layout layout;
            failed = -spmmi_alloc_failures();
            spmmi_alloc_fail_at(k, 0);
            const spmm_status_t status =
                spmmi_tcblocks_build(test_tcblock_kind_of(&part), a->rows, a->cols, a->row_ptr, a->col_ind,
                                     &part, tcblock_shapes[s].dtype, &layout, NULL);
            spmmi_alloc_fail_at(-1, 0);
            failed += spmmi_alloc_failures();
            assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && failed != 0));
            refused += status != SPMM_OK;
            spmmi_tcblocks_free(&layout);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        assert_int_equal(refused, k - 3); /* the two allocations for kept units may fail */
        free(part.items);
    }
    test_matrix_free(a);
}

/* Returns the bytes of the fullest step of a row block: every window has all columns of the step. */
static uint32_t fullest_stage(uint32_t unit_rows, uint32_t value_bytes, int is_packed)
{
    const uint32_t blocks = unit_rows / 8 * (SPMMI_TCBLOCK_PANEL_STEP / 8);
    return spmmi_panel_stage(SPMMI_PANEL_B_MIN, value_bytes, is_packed, blocks, blocks * SPMMI_TCBLOCK_VALUES)
        .bytes;
}

static void the_fullest_stage_fits_the_gpus_that_have_the_kernel(void **state)
{
    (void)state;
    const uint32_t minimum = 99 * 1024, of_80 = 163 * 1024; /* bytes per thread block: 8.6 and 8.9, and 8.0 */
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        for (uint32_t value_bytes = 2; value_bytes <= 8; value_bytes *= 2)
            assert_true(fullest_stage(64, value_bytes, is_packed) <= minimum);
        assert_true(fullest_stage(128, 4, is_packed) <= minimum);
        assert_in_range(fullest_stage(128, 8, is_packed), minimum + 1,
                        of_80); /* refused on devices where it does not fit */
    }
    /* Rows of B, 64 doubles per block for 256 blocks, then 8, 8 and 4 bytes per block, and the barrier. */
    assert_int_equal(fullest_stage(128, 8, 1), 20480 + 256 * (64 * 8 + 8 + 8 + 4) + 8);
    assert_int_equal(spmmi_panel_stage(20480, 2, 1, 3, 5).locals, 20480 + 16); /* rounded to 16 bytes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fullest_stage_fits_the_gpus_that_have_the_kernel),
        cmocka_unit_test(a_row_window_worked_out_by_hand),
        cmocka_unit_test(a_row_block_worked_out_by_hand),
        cmocka_unit_test(a_block_row_group_worked_out_by_hand),
        cmocka_unit_test(positions_of_16_bit_and_f64_values_worked_out_by_hand),
        cmocka_unit_test(units_that_are_not_kept_are_read_again),
        cmocka_unit_test(a_request_that_does_not_fit_leaves_room_for_smaller_ones),
        cmocka_unit_test(units_are_kept_only_where_there_is_memory),
        cmocka_unit_test(every_value_is_where_a_plain_construction_puts_it),
        cmocka_unit_test(block_columns_are_found_however_far_apart),
        cmocka_unit_test(padding_is_zero_and_bytes_are_exact),
        cmocka_unit_test(counts_are_those_of_the_layout),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_map_of_a_transpose_is_in_the_order_of_a),
        cmocka_unit_test(too_many_nonzeros_are_refused),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
