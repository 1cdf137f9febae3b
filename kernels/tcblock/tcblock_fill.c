/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_fill.h. */
#include "tcblock_fill.h"

#include <string.h>

#include "tcblock_banks.h"
#include "tcblock_rows.h"

/* Returns the place of position p of a block in its row of eight: the register order of the MMA operand. */
static uint32_t tcblock_position(uint32_t p)
{
    return 2 * (p % 4) + p / 4;
}

static uint32_t steps_of(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit)
{
    return unit->count / f->width + (unit->count % f->width != 0);
}

/* Progress of a pass over the steps of a unit: the next entry, block, value and nonzero. */
struct walk {
    uint32_t entry[SPMMI_TCBLOCK_WINDOWS_MAX]; /* per window: first entry that no step has used yet */
    uint64_t block, value;
    int64_t nonzero[SPMMI_TCBLOCK_WINDOWS_MAX * SPMMI_WINDOW_ROWS]; /* per row: first nonzero not used yet */
};

/* Returns the end of window w's entries in a step; they begin at walk->entry[w]. */
static uint32_t run_end(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                        const struct walk *walk, uint32_t w, uint32_t step)
{
    const uint64_t limit = ((uint64_t)step + 1) * f->width;
    const uint32_t last = unit->window_first[w + 1];
    uint32_t e = walk->entry[w];
    if (limit >= unit->count)
        return last;
    if (unit->windows == 1)
        return (uint32_t)limit;
    while (e < last && unit->rank[e] < limit)
        e++;
    return e;
}

static uint64_t value_round(const struct spmmi_tcblock_frame *f, uint64_t value)
{
    return f->layout->view.is_packed ? (value + f->align - 1) / f->align * f->align : value;
}

struct spmmi_tcblock_position spmmi_tcblock_needs(const struct spmmi_tcblock_frame *f, const void *unit_,
                                                  uint32_t *blocks_max, uint32_t *values_max)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    const uint32_t is_packed = f->layout->view.is_packed;
    struct spmmi_tcblock_position needs = {steps_of(f, unit), 0, 0};
    struct walk walk;
    memcpy(walk.entry, unit->window_first, unit->windows * sizeof *walk.entry);
    for (uint32_t s = 0; s < needs.step; s++) {
        uint32_t blocks = 0, held = 0;
        for (uint32_t w = 0; w < unit->windows; w++) {
            const uint32_t end = run_end(f, unit, &walk, w, s), count = end - walk.entry[w];
            blocks += (count + SPMMI_TCBLOCK_BLOCK - 1) / SPMMI_TCBLOCK_BLOCK;
            walk.entry[w] = end;
        }
        for (uint32_t p = s * f->width; is_packed && p < unit->count && p - s * f->width < f->width; p++)
            held += unit->columns[p].values;
        const uint32_t values = (uint32_t)value_round(f, is_packed ? held : blocks * SPMMI_TCBLOCK_VALUES);
        needs.block += blocks;
        needs.value += values;
        *blocks_max = blocks > *blocks_max ? blocks : *blocks_max;
        *values_max = values > *values_max ? values : *values_max;
    }
    return needs;
}

uint32_t spmmi_tcblock_row_fill(const struct spmmi_tcblock_frame *f, uint64_t at)
{
    const int permutes = (f->part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
    const uint32_t row = at < f->part->item_count ? f->part->items[at] : SPMMI_TCBLOCK_NONE;
    f->layout->row_of[at] = permutes && row != SPMMI_TCBLOCK_NONE ? (uint32_t)at : row;
    return row;
}

/* Fills in the unit's rows of C, and finds the first nonzero of each row. */
static void rows_fill(const struct spmmi_tcblock_frame *f, uint32_t u, struct walk *walk)
{
    for (uint32_t r = 0; r < f->part->block_rows; r++) {
        const uint32_t row = spmmi_tcblock_row_fill(f, (uint64_t)u * f->part->block_rows + r);
        walk->nonzero[r] = row == SPMMI_TCBLOCK_NONE ? 0 : f->row_ptr[row];
    }
}

/* Stores the columns of a window in the register order of its blocks. */
static void columns_order(const struct spmmi_tcblock_unit *unit, uint64_t positions, uint32_t *columns)
{
    for (uint32_t i = 0; i < positions; i++)
        columns[i - i % SPMMI_TCBLOCK_BLOCK + tcblock_position(i % SPMMI_TCBLOCK_BLOCK)] =
            unit->columns[i < unit->count ? i : unit->count - 1].column;
}

static void columns_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                         uint64_t step)
{
    const uint64_t positions = (uint64_t)steps_of(f, unit) * f->width;
    uint32_t *const columns = f->layout->columns + step * f->width;
    if (!f->has_locals) {
        columns_order(unit, positions, columns);
        return;
    }
    for (uint32_t i = 0; i < unit->count; i++)
        columns[i] = unit->columns[i].column;
    for (uint64_t i = unit->count; i < positions; i++)
        columns[i] = unit->columns[unit->count - 1].column;
}

/* The entries of a row window in a step: [begin, begin + count), at most as many as a step has columns. */
struct run {
    uint32_t window, begin, count;
    uint8_t locals[SPMMI_TCBLOCK_PANEL_STEP];
    uint8_t order[SPMMI_TCBLOCK_PANEL_STEP]; /* index of the entry at each position of the run's blocks */
};

static void run_permutation(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                            struct run *run)
{
    for (uint32_t i = 0; f->has_locals && i < run->count; i++)
        run->locals[i] = (uint8_t)(unit->rank[run->begin + i] & (f->width - 1));
    if (f->has_locals)
        spmmi_tcblock_banks(run->locals, run->count, run->order);
}

/* Fills the block of the entries at positions [first, first + 8) of the run. */
static void block_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                       const struct run *run, uint32_t first, struct walk *walk)
{
    struct spmmi_tcblock_layout *layout = f->layout;
    const uint32_t left = run->count - first;
    const uint8_t *const order = run->order + first, *const rows = unit->rows + run->begin;
    uint64_t held = 0, locals = 0; /* one byte per position: rows, local row */
    for (uint32_t p = 0; p < SPMMI_TCBLOCK_BLOCK; p++) {
        const uint32_t i = order[p < left ? p : 0], shift = 8 * tcblock_position(p);
        held |= (uint64_t)(p < left ? rows[i] : 0) << shift;
        locals |= (uint64_t)run->locals[i] << shift;
    }
    const uint64_t bitmap = spmmi_transposed(held);
    if (f->has_locals)
        memcpy(layout->locals + walk->block * SPMMI_TCBLOCK_BLOCK, &locals, sizeof locals);
    layout->bitmaps[walk->block] = bitmap;
    if (layout->view.is_packed)
        layout->value_first[walk->block] = (uint32_t)walk->value;
    walk->value += layout->view.is_packed ? spmmi_ones(bitmap) : SPMMI_TCBLOCK_VALUES;
    walk->block++;
}

/* Fills the value map for the nonzeros of the run. `first` is the run's first block. */
static void map_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                     const struct run *run, uint64_t first, struct walk *walk)
{
    const struct spmmi_tcblock_layout *layout = f->layout;
    int64_t *nonzero = walk->nonzero + run->window * SPMMI_WINDOW_ROWS;
    uint8_t positions[SPMMI_TCBLOCK_PANEL_STEP];
    for (uint32_t i = 0; i < run->count; i++)
        positions[run->order[i]] = (uint8_t)i;
    for (uint32_t i = 0; i < run->count; i++) { /* the nonzeros of a row are visited in CSR order */
        const uint64_t block = first + positions[i] / SPMMI_TCBLOCK_BLOCK;
        const uint32_t column = tcblock_position(positions[i] % SPMMI_TCBLOCK_BLOCK);
        const uint64_t bitmap = layout->bitmaps[block];
        for (uint32_t rows = unit->rows[run->begin + i]; rows > 0; rows &= rows - 1) {
            const uint32_t r = (uint32_t)__builtin_ctz(rows), bit = 8 * r + column;
            layout->value_map[nonzero[r]++] =
                layout->view.is_packed
                    ? layout->value_first[block] + spmmi_ones(bitmap & ((UINT64_C(1) << bit) - 1))
                    : (uint32_t)block * SPMMI_TCBLOCK_VALUES + bit;
        }
    }
}

static void run_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                     struct run *run, struct walk *walk)
{
    const uint64_t first = walk->block;
    run_permutation(f, unit, run);
    for (uint32_t i = 0; i < run->count; i += SPMMI_TCBLOCK_BLOCK)
        block_fill(f, unit, run, i, walk);
    if (f->layout->value_map != NULL)
        map_fill(f, unit, run, first, walk);
}

void spmmi_tcblock_fill(const struct spmmi_tcblock_frame *f, const void *unit_, uint32_t u,
                        struct spmmi_tcblock_position position)
{
    const struct spmmi_tcblock_unit *const unit = unit_;
    struct walk walk;
    struct run run = {.order = {0, 1, 2, 3, 4, 5, 6, 7}}; /* the order in a window */
    walk.block = position.block;
    walk.value = position.value;
    memcpy(walk.entry, unit->window_first, unit->windows * sizeof *walk.entry);
    rows_fill(f, u, &walk);
    columns_fill(f, unit, position.step);
    for (uint32_t s = 0; s < steps_of(f, unit); s++) {
        for (uint32_t w = 0; w < unit->windows; w++) {
            const uint32_t end = run_end(f, unit, &walk, w, s);
            if (f->has_locals)
                f->layout->block_first[(position.step + s) * unit->windows + w] = (uint32_t)walk.block;
            run.window = w;
            run.begin = walk.entry[w];
            run.count = end - run.begin;
            run_fill(f, unit, &run, &walk);
            walk.entry[w] = end;
        }
        walk.value = value_round(f, walk.value);
    }
}
