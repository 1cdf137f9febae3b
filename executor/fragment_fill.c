/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_fill.h. */
#include "fragment_fill.h"

#include <string.h>

/* Where position p of a block is in its row of eight: fragment order. */
static uint32_t fragment_place(uint32_t p)
{
    return 2 * (p % 4) + p / 4 % 2;
}

static uint32_t ones_of(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Bit r of eight to bit 8 r. */
static uint64_t rows_spread(uint32_t rows)
{
    const uint64_t low = (rows & 0x7f) * UINT64_C(0x0002040810204081) & UINT64_C(0x0101010101010101);
    return low | (uint64_t)(rows >> 7) << 56;
}

uint32_t spmmi_fragment_steps(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit)
{
    return (unit->count + f->width - 1) / f->width;
}

/* Blocks and values of one step of a unit. */
void spmmi_fragment_step_needs(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                               uint32_t step, uint32_t *blocks, uint32_t *values)
{
    uint32_t windows[2] = {0, 0}, numbers = 0;
    for (uint32_t p = 0; p < f->width && step * f->width + p < unit->count; p++) {
        const struct spmmi_fragment_column *column = &unit->columns[step * f->width + p];
        windows[p / SPMMI_FRAGMENT_HALF] |= column->windows;
        numbers += column->numbers;
    }
    *blocks = ones_of((uint64_t)windows[1] << 32 | windows[0]);
    *values = f->layout->view.is_packed ? (numbers + f->align - 1) / f->align * f->align
                                        : *blocks * SPMMI_FRAGMENT_NUMBERS;
}

/* The block of one window's numbers at a rank of the unit. */
static uint32_t block_at(const struct spmmi_fragment_frame *f, uint64_t first_step, uint32_t window,
                         uint32_t rank)
{
    const uint64_t step = first_step + (rank >> f->shift);
    if (f->groups == 0)
        return (uint32_t)step;
    const uint64_t at = step * f->groups + window / SPMMI_FRAGMENT_GROUP;
    const uint32_t bit =
        (rank & (f->width - 1)) / SPMMI_FRAGMENT_HALF * SPMMI_FRAGMENT_GROUP + window % SPMMI_FRAGMENT_GROUP;
    return f->layout->block_first[at] + ones_of(f->layout->masks[at] & ((UINT32_C(1) << bit) - 1));
}

static void columns_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                         struct spmmi_fragment_place place)
{
    const uint32_t positions = spmmi_fragment_steps(f, unit) * f->width;
    uint32_t *columns = f->layout->columns + place.step * f->width;
    for (uint32_t i = 0; i < positions; i++) {
        const uint32_t at = i / SPMMI_FRAGMENT_HALF * SPMMI_FRAGMENT_HALF + fragment_place(i);
        columns[at] = unit->columns[i < unit->count ? i : unit->count - 1].column;
    }
}

static void masks_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                       struct spmmi_fragment_place place)
{
    const uint32_t steps = spmmi_fragment_steps(f, unit);
    uint16_t *masks = f->layout->masks + place.step * f->groups;
    uint32_t *block_first = f->layout->block_first + place.step * f->groups, block = (uint32_t)place.block;
    memset(masks, 0, (size_t)steps * f->groups * sizeof *masks);
    for (uint32_t i = 0; i < unit->count; i++)
        for (uint32_t g = 0; g < f->groups; g++) {
            const uint32_t windows = unit->columns[i].windows >> SPMMI_FRAGMENT_GROUP * g & 0xff;
            masks[(i >> f->shift) * f->groups + g] |=
                (uint16_t)(windows << (i & (f->width - 1)) / SPMMI_FRAGMENT_HALF * SPMMI_FRAGMENT_GROUP);
        }
    for (uint32_t at = 0; at < steps * f->groups; at++) {
        block_first[at] = block;
        block += ones_of(masks[at]);
    }
}

/* Bitmaps and, where packed, where the values of each block begin. */
static void blocks_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                        struct spmmi_fragment_place place)
{
    struct spmmi_fragment_layout *layout = f->layout;
    uint64_t *bitmaps = layout->bitmaps;
    for (uint32_t w = 0; w < unit->windows; w++)
        for (uint32_t e = unit->window_first[w]; e < unit->window_first[w + 1]; e++)
            bitmaps[block_at(f, place.step, w, unit->rank[e])] |= rows_spread(unit->rows[e])
                                                                  << fragment_place(unit->rank[e] % 8);
    uint64_t value = place.value;
    uint32_t block = (uint32_t)place.block;
    for (uint32_t s = 0; layout->view.is_packed && s < spmmi_fragment_steps(f, unit); s++) {
        uint32_t blocks, values, inside = 0;
        spmmi_fragment_step_needs(f, unit, s, &blocks, &values);
        for (; blocks > 0; blocks--, block++) {
            layout->value_first[block] = (uint32_t)value + inside;
            inside += ones_of(bitmaps[block]);
        }
        value += values;
    }
}

/* Rows of C, and the place in values of each nonzero of the unit. */
static void rows_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                      uint32_t u, struct spmmi_fragment_place place)
{
    struct spmmi_fragment_layout *layout = f->layout;
    const int permutes = (f->part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
    for (uint32_t w = 0; w < unit->windows; w++) {
        int64_t next[SPMMI_WINDOW_ROWS] = {0};
        for (uint32_t r = 0; r < SPMMI_WINDOW_ROWS; r++) {
            const uint64_t at = (uint64_t)u * f->part->panel_rows + w * SPMMI_WINDOW_ROWS + r;
            const uint32_t row = at < f->part->item_count ? f->part->items[at] : SPMMI_FRAGMENT_NONE;
            layout->row_of[at] = permutes && row != SPMMI_FRAGMENT_NONE ? (uint32_t)at : row;
            next[r] = row == SPMMI_FRAGMENT_NONE ? 0 : f->row_ptr[row];
        }
        for (uint32_t e = unit->window_first[w]; e < unit->window_first[w + 1]; e++) {
            const uint32_t block = block_at(f, place.step, w, unit->rank[e]);
            const uint32_t column = fragment_place(unit->rank[e] % SPMMI_FRAGMENT_HALF);
            const uint64_t bitmap = layout->bitmaps[block];
            for (uint32_t rows = unit->rows[e]; rows > 0; rows &= rows - 1) {
                const uint32_t r = (uint32_t)__builtin_ctz(rows), bit = 8 * r + column;
                layout->value_map[next[r]++] =
                    layout->view.is_packed
                        ? layout->value_first[block] + ones_of(bitmap & ((UINT64_C(1) << bit) - 1))
                        : block * SPMMI_FRAGMENT_NUMBERS + bit;
            }
        }
    }
}

void spmmi_fragment_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                         uint32_t u, struct spmmi_fragment_place place)
{
    columns_fill(f, unit, place);
    if (f->groups > 0)
        masks_fill(f, unit, place);
    blocks_fill(f, unit, place);
    rows_fill(f, unit, u, place);
}
