/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_literal.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tcblock_literal.h"

/* Row and column of an element of a block. spot_of computes them from the element's position in the block.
 * Positions follow the registers of the MMA operand A (16 x 8 x 8, or 16 x 8 x 16 for 16-bit types): each
 * lane has pieces of 16 bytes. */
struct spot {
    uint32_t row, column;
};
static struct spot spot_of(uint32_t position, uint32_t value_bytes)
{
    const uint32_t piece = 16 / value_bytes;
    const uint32_t lane = position % (32 * piece) / piece;
    const uint32_t value = position / (32 * piece) * piece + position % piece;
    if (value_bytes == 2) /* a0 a1 | a2 a3 8 rows below | a4 a5 8 columns right | a6 a7 both */
        return (struct spot){lane / 4 + 8 * (value / 2 % 2), lane % 4 * 2 + value % 2 + 8 * (value / 4)};
    return (struct spot){lane / 4 + 8 * (value % 2), lane % 4 + 4 * (value / 2)};
}

/* Returns one mask per block column: bit w is set if block row w of the unit has a nonzero in the block
 * column. The caller frees the array. */
static uint32_t *rows_of_columns(const struct tcblock_built *b, uint32_t unit, int64_t width)
{
    uint32_t *rows = calloc((size_t)(b->a->cols / width) + 1, sizeof *rows);
    assert_non_null(rows);
    for (uint32_t r = 0; r < b->shape->block_rows; r++) {
        const int64_t at = (int64_t)unit * b->shape->block_rows + r;
        const int64_t row = at < b->a->rows ? (int64_t)b->part.items[at] : 0;
        for (int64_t q = b->a->row_ptr[row]; at < b->a->rows && q < b->a->row_ptr[row + 1]; q++)
            rows[b->a->col_ind[q] / width] |= UINT32_C(1) << r / 16;
    }
    return rows;
}

/* Checks the bitmap and the value map of one block. `at` is the position of the block's first row in the list
 * of items. */
static void block_check(const struct tcblock_built *b, int64_t at, int64_t column, struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    const uint32_t value_bytes = (uint32_t)spmm_dtype_size(b->shape->dtype), width = f->block_columns;
    const uint64_t *bitmap = f->bitmaps + (uint64_t)walk->block * (width / 4);
    const uint64_t before = walk->values;
    for (uint32_t position = 0; position < 16 * width; position++) {
        const struct spot spot = spot_of(position, value_bytes);
        const uint32_t bit = spot.row * width + spot.column;
        const int64_t row = at + spot.row < b->a->rows ? (int64_t)b->part.items[at + spot.row] : -1;
        const int64_t q = row < 0 ? -1 : tcblock_nonzero_at(b->a, row, column + spot.column);
        assert_int_equal(bitmap[bit / 64] >> bit % 64 & 1, q >= 0);
        if (q < 0)
            continue;
        assert_int_equal(b->layout.value_map[q], walk->value + position);
        walk->values++;
    }
    assert_true(walk->values > before);
    walk->block++;
    walk->value += 16 * width;
}

/* Checks the step that multiplies the block columns columns[0 .. count) of the unit. count is at most 4. */
static void step_check(const struct tcblock_built *b, uint32_t unit, const int64_t *columns, int64_t count,
                       const uint32_t *rows, struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    const uint32_t first = walk->block;
    uint32_t mask = 0;
    for (int64_t i = 0; i < 4; i++)
        assert_int_equal(f->columns[4 * (int64_t)walk->step + i],
                         columns[i < count ? i : count - 1] * f->block_columns);
    assert_int_equal(f->block_first[walk->step], walk->block);
    for (uint32_t w = 0; w < f->unit_rows / 16; w++)
        for (int64_t i = 0; i < count; i++) {
            if ((rows[columns[i]] >> w & 1) == 0)
                continue;
            mask |= UINT32_C(1) << (4 * w + i);
            block_check(b, (int64_t)unit * f->unit_rows + 16 * w, columns[i] * f->block_columns, walk);
        }
    assert_true(f->masks[walk->step] == mask);
    assert_in_range(walk->block - first, 1, f->step_blocks_max);
    walk->step++;
}

void bcsr_literal_check(const struct tcblock_built *b)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    const int64_t width = spmm_dtype_size(b->shape->dtype) == 2 ? 16 : 8;
    struct tcblock_walk walk = {0, 0, 0, 0, 0, 0, 0};
    tcblock_begin_check(b);
    assert_int_equal(f->block_rows, 16);
    assert_int_equal(f->block_columns, width);
    assert_null(f->locals);
    assert_null(f->value_first);
    assert_int_equal(f->step_values_max, f->step_blocks_max * 16 * width);
    for (uint32_t unit = 0; unit < f->unit_count; unit++) {
        uint32_t *rows = rows_of_columns(b, unit, width);
        int64_t *columns = calloc((size_t)(b->a->cols / width) + 1, sizeof *columns);
        int64_t count = 0;
        assert_non_null(columns);
        for (int64_t j = 0; j <= b->a->cols / width; j++)
            if (rows[j] != 0)
                columns[count++] = j;
        tcblock_items_check(b, unit, (uint32_t)((count + 3) / 4), &walk);
        for (int64_t i = 0; i < count; i += 4)
            step_check(b, unit, columns + i, count - i < 4 ? count - i : 4, rows, &walk);
        free(columns);
        free(rows);
    }
    tcblock_end_check(b, &walk);
    assert_int_equal(f->block_first[f->step_count], f->block_count);
}
