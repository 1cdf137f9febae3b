/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_literal.h. */
#include "tcblock_literal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

int64_t tcblock_nonzero_at(const struct test_matrix *a, int64_t row, int64_t column)
{
    int64_t begin = a->row_ptr[row], end = a->row_ptr[row + 1];
    while (begin < end) {
        const int64_t middle = (begin + end) / 2;
        if (a->col_ind[middle] < column)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < a->row_ptr[row + 1] && a->col_ind[begin] == column ? begin : -1;
}

/* A unit as the layout should see it, constructed without optimizations. */
struct literal {
    int64_t count;     /* number of columns */
    int64_t *columns;  /* in ascending order */
    uint32_t *windows; /* for each column, a bit per window that has a nonzero in it */
    int64_t rows[256]; /* row numbers; -1: no row */
    int64_t unit_rows;
};

static struct literal literal_make(const struct tcblock_built *b, uint32_t unit)
{
    struct literal l = {.unit_rows = b->shape->block_rows};
    l.columns = calloc((size_t)b->a->cols + 1, sizeof *l.columns);
    l.windows = calloc((size_t)b->a->cols + 1, sizeof *l.windows);
    uint32_t *of_column = calloc((size_t)b->a->cols + 1, sizeof *of_column);
    assert_true(l.columns != NULL && l.windows != NULL && of_column != NULL);
    for (int64_t r = 0; r < l.unit_rows; r++) {
        const int64_t at = unit * l.unit_rows + r;
        l.rows[r] = at < b->a->rows ? (int64_t)b->part.items[at] : -1;
        for (int64_t q = l.rows[r] < 0 ? 0 : b->a->row_ptr[l.rows[r]];
             l.rows[r] >= 0 && q < b->a->row_ptr[l.rows[r] + 1]; q++)
            of_column[b->a->col_ind[q]] |= UINT32_C(1) << r / 8;
    }
    for (int64_t j = 0; j < b->a->cols; j++) {
        if (of_column[j] == 0)
            continue;
        l.columns[l.count] = j;
        l.windows[l.count++] = of_column[j];
    }
    free(of_column);
    return l;
}

static void literal_free(struct literal *l)
{
    free(l->windows);
    free(l->columns);
}

/* Checks the bitmap of one block and the value map of its nonzeros. at[p] is the index of the unit's column
 * at position p, -1 if the position is empty. Returns the number of nonzeros. */
static uint32_t block_check(const struct tcblock_built *b, const struct literal *l, const int64_t at[8],
                            int64_t window, uint32_t block, uint64_t value)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    uint64_t bitmap = 0;
    uint32_t values = 0;
    for (int bit = 0; bit < 64; bit++) {
        const int lane = bit / 2, p = lane % 4 + 4 * (bit % 2);
        const int64_t row = l->rows[8 * window + lane / 4];
        const int64_t q = row < 0 || at[p] < 0 ? -1 : tcblock_nonzero_at(b->a, row, l->columns[at[p]]);
        if (q < 0)
            continue;
        assert_int_equal(b->layout.value_map[q],
                         f->is_packed ? value + values : UINT64_C(64) * block + (uint64_t)bit);
        bitmap |= UINT64_C(1) << bit;
        values++;
    }
    assert_true(f->bitmaps[block] == bitmap);
    if (f->is_packed)
        assert_int_equal(f->value_first[block], value);
    return values;
}

/* Writes to `at` the columns of one window in a step, in the order of the positions of its blocks. In a row
 * block, each position takes the first remaining column of one residue modulo 4: the residue that is not yet
 * in the group of 4 and has most columns left, or any residue if all are used. Returns the number of
 * columns. */
static int64_t positions_of(const struct tcblock_built *b, const struct literal *l, int64_t window,
                            int64_t first, int64_t at[128])
{
    const int64_t width = b->shape->family == SPMM_FAMILY_WINDOW ? 8 : 128;
    uint32_t is_left[128] = {0};
    int64_t count = 0, total = 0;
    for (int64_t i = 0; i < width && first + i < l->count; i++) {
        is_left[i] = l->windows[first + i] >> window & 1;
        total += is_left[i];
    }
    for (; count < total; count++) {
        int64_t best = -1, best_left = 0;
        for (int is_any = 0; is_any < 2 && best < 0; is_any++)
            for (int64_t r = 0; r < 4 && (is_any == 0 || best < 0); r++) {
                int64_t left = 0, lowest = -1, is_used = 0;
                for (int64_t i = 128 - 4 + r; i >= 0; i -= 4) {
                    left += is_left[i];
                    lowest = is_left[i] ? i : lowest;
                }
                for (int64_t k = count / 4 * 4; k < count; k++)
                    is_used |= (at[k] - first) % 4 == r;
                if (left > best_left && (is_any || !is_used)) {
                    best = lowest;
                    best_left = left;
                }
            }
        if (width == 8) /* row windows keep the order of the columns */
            for (best = 0; !is_left[best];)
                best++;
        at[count] = first + best;
        is_left[best] = 0;
    }
    return total;
}

/* Checks the blocks of one window in a step. Returns the index of the first value after them. */
static uint64_t run_check(const struct tcblock_built *b, const struct literal *l, int64_t window,
                          int64_t first, uint64_t value, struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    int64_t at[128];
    const int64_t count = positions_of(b, l, window, first, at);
    for (int64_t k = 0; k < count; k += 8) {
        int64_t of_block[8];
        for (int64_t p = 0; p < 8; p++) {
            of_block[p] = k + p < count ? at[k + p] : -1;
            if (f->locals != NULL)
                assert_int_equal(f->locals[8 * (uint64_t)walk->block + (uint64_t)(2 * (p % 4) + p / 4)],
                                 (k + p < count ? at[k + p] : at[k]) - first);
        }
        const uint32_t values = block_check(b, l, of_block, window, walk->block++, value);
        assert_true(values > 0);
        value += f->is_packed ? values : 64;
        walk->values += values;
    }
    return value;
}

static void step_check(const struct tcblock_built *b, const struct literal *l, int64_t step,
                       struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    const int is_window = b->shape->family == SPMM_FAMILY_WINDOW;
    const int64_t width = is_window ? 8 : 128, windows = l->unit_rows / 8;
    const uint32_t block_before = walk->block;
    uint64_t value = walk->value;
    for (int64_t p = 0; p < width; p++) {
        const int64_t position = is_window ? 2 * (p % 4) + p / 4 : p, at = step * width + p;
        assert_int_equal(f->columns[walk->step * width + position],
                         l->columns[at < l->count ? at : l->count - 1]);
    }
    for (int64_t window = 0; window < windows; window++) {
        if (!is_window)
            assert_int_equal(f->block_first[walk->step * windows + window], walk->block);
        value = run_check(b, l, window, step * width, value, walk);
    }
    const uint64_t align = is_window ? 1 : 16 / spmm_dtype_size(b->shape->dtype);
    while (value % align != 0)
        value++;
    assert_in_range(walk->block - block_before, 1, f->step_blocks_max);
    assert_in_range(value - walk->value, 1, f->step_values_max);
    walk->value = value;
    walk->step++;
}

void tcblock_items_check(const struct tcblock_built *b, uint32_t unit, uint32_t steps,
                         struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    uint32_t count = 1, longest = 0, shortest = UINT32_MAX, end = walk->step;
    while ((uint64_t)count * b->shape->item_size < steps)
        count++;
    if (count > 1) {
        assert_int_equal(f->splits[walk->split].unit, unit);
        assert_int_equal(f->splits[walk->split].first, walk->slot);
        assert_int_equal(f->splits[walk->split].count, count);
        walk->split++;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct spmmi_tcblock_item *item = &f->items[walk->item++];
        const uint32_t length = item->end - item->begin;
        assert_int_equal(item->unit, unit);
        assert_int_equal(item->begin, end);
        assert_int_equal(item->slot, count > 1 ? walk->slot++ : SPMMI_TCBLOCK_NONE);
        end = item->end;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
    }
    assert_int_equal(end, walk->step + steps);
    assert_true(longest <= b->shape->item_size && longest - shortest <= 1);
}

void tcblock_begin_check(const struct tcblock_built *b)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    assert_int_equal(f->rows, b->a->rows);
    assert_int_equal(f->cols, b->a->cols);
    assert_int_equal(f->unit_rows, b->shape->block_rows);
    assert_int_equal(f->is_packed, b->shape->schedule == SPMM_SCHEDULE_PACKED);
    assert_int_equal(f->unit_count, (b->a->rows + f->unit_rows - 1) / f->unit_rows);
    for (int64_t at = 0; at < (int64_t)f->unit_count * f->unit_rows; at++) {
        const int64_t row =
            b->shape->flags == TCBLOCK_REORDERED_OUTPUT || at >= b->a->rows ? at : b->part.items[at];
        assert_int_equal(f->row_of[at], at < b->a->rows ? row : SPMMI_TCBLOCK_NONE);
    }
}

void tcblock_end_check(const struct tcblock_built *b, const struct tcblock_walk *walk)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    assert_int_equal(f->step_count, walk->step);
    assert_int_equal(f->block_count, walk->block);
    assert_int_equal(f->value_count, walk->value);
    assert_int_equal(f->item_count, walk->item);
    assert_int_equal(f->slot_count, walk->slot);
    assert_int_equal(f->split_count, walk->split);
    // Each nonzero was met once, because the value map was right for all of them.
    assert_int_equal(walk->values, b->a->nnz);
}

void tcblock_literal_check(const struct tcblock_built *b)
{
    const struct spmmi_tcblocks *f = &b->layout.view;
    const int64_t width = b->shape->family == SPMM_FAMILY_WINDOW ? 8 : 128;
    struct tcblock_walk walk = {0, 0, 0, 0, 0, 0, 0};
    tcblock_begin_check(b);
    assert_int_equal(f->block_rows, 8);
    assert_int_equal(f->block_columns, 8);
    assert_null(f->masks);
    for (uint32_t unit = 0; unit < f->unit_count; unit++) {
        struct literal l = literal_make(b, unit);
        const uint32_t steps = (uint32_t)((l.count + width - 1) / width);
        tcblock_items_check(b, unit, steps, &walk);
        for (uint32_t s = 0; s < steps; s++)
            step_check(b, &l, s, &walk);
        literal_free(&l);
    }
    tcblock_end_check(b, &walk);
    if (width == 128)
        assert_int_equal(f->block_first[f->step_count * (f->unit_rows / 8)], f->block_count);
    if (f->is_packed)
        assert_int_equal(f->value_first[f->block_count], f->value_count);
}
