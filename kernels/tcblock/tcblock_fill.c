/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_fill.h. */
#include "tcblock_fill.h"

#include <string.h>

#include "tcblock_banks.h"

/* Where position p of a block is in its row of eight: register order of the MMA operand. */
static uint32_t tcblock_position(uint32_t p)
{
    return 2 * (p % 4) + p / 4;
}

/* Bit r of eight to bit 8 r. */
static uint64_t rows_expanded(uint32_t rows)
{
    const uint64_t low = (rows & 0x7f) * UINT64_C(0x0002040810204081) & UINT64_C(0x0101010101010101);
    return low | (uint64_t)(rows >> 7) << 56;
}

static uint32_t steps_of(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit)
{
    return unit->count / f->width + (unit->count % f->width != 0);
}

/* Progress of a pass over the steps of a unit. */
struct walk {
    uint32_t entry[SPMMI_TCBLOCK_WINDOWS_MAX]; /* of each window: the first that no step has taken yet */
    uint64_t block, value;
    int64_t nonzero[SPMMI_TCBLOCK_WINDOWS_MAX * SPMMI_WINDOW_ROWS]; /* of each row: the same */
};

/* The entries of window w that a step takes: from walk->entry[w] to here. */
static uint32_t run_end(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                        const struct walk *walk, uint32_t w, uint32_t step)
{
    const uint64_t limit = ((uint64_t)step + 1) * f->width;
    uint32_t e = walk->entry[w];
    while (e < unit->window_first[w + 1] && unit->rank[e] < limit)
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
        for (uint32_t p = s * f->width; p < unit->count && p / f->width == s; p++)
            held += unit->columns[p].values;
        const uint32_t values =
            (uint32_t)value_round(f, f->layout->view.is_packed ? held : blocks * SPMMI_TCBLOCK_VALUES);
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

/* Rows of C, and where the nonzeros of each row begin. */
static void rows_fill(const struct spmmi_tcblock_frame *f, uint32_t u, struct walk *walk)
{
    for (uint32_t r = 0; r < f->part->block_rows; r++) {
        const uint32_t row = spmmi_tcblock_row_fill(f, (uint64_t)u * f->part->block_rows + r);
        walk->nonzero[r] = row == SPMMI_TCBLOCK_NONE ? 0 : f->row_ptr[row];
    }
}

static void columns_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                         uint64_t step)
{
    const uint64_t positions = (uint64_t)steps_of(f, unit) * f->width;
    uint32_t *columns = f->layout->columns + step * f->width;
    for (uint64_t i = 0; i < positions; i++) {
        const uint32_t p = (uint32_t)(i % SPMMI_TCBLOCK_BLOCK);
        columns[f->has_locals ? i : i - p + tcblock_position(p)] =
            unit->columns[i < unit->count ? i : unit->count - 1].column;
    }
}

/* Entries of a row window in a step: entries [begin, begin + count), at most as many as a step has columns. */
struct run {
    uint32_t window, begin, count;
    uint8_t locals[SPMMI_TCBLOCK_PANEL_STEP];
    uint8_t
        order[SPMMI_TCBLOCK_PANEL_STEP]; /* of the entries, as they take the positions of the run's blocks */
};

static void run_permutation(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                            struct run *run)
{
    for (uint32_t i = 0; i < run->count; i++) {
        run->locals[i] = (uint8_t)(unit->rank[run->begin + i] & (f->width - 1));
        run->order[i] = (uint8_t)i;
    }
    if (f->has_locals)
        spmmi_tcblock_banks(run->locals, run->count, run->order);
}

/* The block of the entries at positions [first, first + 8) of the run. */
static void block_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                       const struct run *run, uint32_t first, struct walk *walk)
{
    struct spmmi_tcblock_layout *layout = f->layout;
    uint64_t bitmap = 0;
    for (uint32_t p = 0; p < SPMMI_TCBLOCK_BLOCK; p++) {
        const int is_used = first + p < run->count;
        const uint32_t i = run->order[is_used ? first + p : first], position = tcblock_position(p);
        if (is_used)
            bitmap |= rows_expanded(unit->rows[run->begin + i]) << position;
        if (f->has_locals)
            layout->locals[walk->block * SPMMI_TCBLOCK_BLOCK + position] = run->locals[i];
    }
    layout->bitmaps[walk->block] = bitmap;
    if (layout->view.is_packed)
        layout->value_first[walk->block] = (uint32_t)walk->value;
    walk->value += layout->view.is_packed ? spmmi_ones(bitmap) : SPMMI_TCBLOCK_VALUES;
    walk->block++;
}

/* The position in values of each nonzero of the run, whose blocks begin at first. */
static void map_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_tcblock_unit *unit,
                     const struct run *run, uint64_t first, struct walk *walk)
{
    const struct spmmi_tcblock_layout *layout = f->layout;
    int64_t *nonzero = walk->nonzero + run->window * SPMMI_WINDOW_ROWS;
    uint8_t positions[SPMMI_TCBLOCK_PANEL_STEP];
    for (uint32_t i = 0; i < run->count; i++)
        positions[run->order[i]] = (uint8_t)i;
    for (uint32_t i = 0; i < run->count; i++) { /* nonzeros of a row come in their order */
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
    struct run run;
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
