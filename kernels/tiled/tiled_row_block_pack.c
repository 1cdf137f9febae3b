/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_row_block_pack.h. */
#include "tiled_row_block_pack.h"

#include <stdbool.h>
#include <string.h>

#include "tiled_banks.h"

#define MARK 0x80000000u
/* A scan is faster than a sort up to this number of columns looked at per column found. */
#define SCAN_MAX 16u

/* Eight lanes of a warp: the remaining nonzeros of their units, and the position of their entries in a
 * stage. */
struct group {
    uint32_t cursor[SPMMI_BANK_LANES], end[SPMMI_BANK_LANES];
    uint32_t position;
};

void spmmi_tiled_row_block_columns(struct spmmi_tiled_builder *b, uint32_t row_block, uint32_t *marks,
                                   uint32_t *spare)
{
    uint32_t *list = b->distinct + b->row_block_begin[row_block];
    const uint32_t mark = MARK | row_block;
    uint32_t count = 0, low = UINT32_MAX, high = 0;
    for (uint32_t t = 0; t < b->part->block_rows; t++) {
        const uint32_t unit = spmmi_tiled_unit_at(b, row_block, t);
        for (uint32_t q = spmmi_tiled_unit_begin(b, unit); q < spmmi_tiled_unit_end(b, unit); q++) {
            const uint32_t column = (uint32_t)b->own.col_ind[q];
            if (marks[column] == mark)
                continue;
            marks[column] = mark;
            list[count++] = column;
            low = column < low ? column : low;
            high = column > high ? column : high;
        }
    }
    b->row_block_width[row_block] = count;
    if (count > 0 && (high - low) / SCAN_MAX >= count) {
        spmmi_tiled_columns_sort(list, spare, count, low, high);
        return;
    }
    for (uint32_t column = low, found = 0; found < count; column++)
        if (marks[column] == mark)
            list[found++] = column;
}

uint32_t spmmi_tiled_stage_width(const struct spmmi_tiled_builder *b, uint32_t row_block)
{
    const uint32_t *stage = b->layout->row_block_stage + row_block;
    const uint32_t stages = stage[1] - stage[0];
    return stages == 0 ? 1 : (b->row_block_width[row_block] + stages - 1) / stages;
}

void spmmi_tiled_row_block_ranks(const struct spmmi_tiled_builder *b, uint32_t row_block, uint32_t *ranks)
{
    const uint32_t *list = b->distinct + b->row_block_begin[row_block];
    uint32_t *columns = b->layout->columns + b->layout->stage_first[b->layout->row_block_stage[row_block]];
    for (uint32_t i = 0; i < b->row_block_width[row_block]; i++) {
        columns[i] = b->own.column_of == NULL ? list[i] : b->own.column_of[list[i]];
        ranks[list[i]] = i;
    }
}

void spmmi_tiled_row_block_slices(struct spmmi_tiled_builder *b, uint32_t row_block, const uint32_t *ranks)
{
    const uint32_t width = spmmi_tiled_stage_width(b, row_block);
    uint32_t *slices = b->layout->warp_slice + (uint64_t)b->layout->row_block_stage[row_block] * b->warps;
    for (uint32_t t = 0; t < b->part->block_rows; t++) {
        const uint32_t unit = spmmi_tiled_unit_at(b, row_block, t);
        const uint32_t end = spmmi_tiled_unit_end(b, unit);
        for (uint32_t q = spmmi_tiled_unit_begin(b, unit); q < end;) {
            const uint32_t stage = ranks[b->own.col_ind[q]] / width;
            uint32_t *most = &slices[stage * b->warps + t / SPMMI_TILED_LANES];
            uint32_t length = 0;
            for (; q < end && ranks[b->own.col_ind[q]] < (stage + 1) * width; q++)
                length++;
            *most = length > *most ? length : *most;
        }
    }
}

/* Stores the entries of eight lanes in one stage, from their cursors to the end of the stage. */
static void group_entries(const struct spmmi_tiled_builder *b, uint32_t stage, uint32_t width,
                          const uint32_t *ranks, const struct group *g, struct spmmi_bank_turns *t,
                          uint16_t *slots)
{
    struct spmmi_tiled_layout *layout = b->layout;
    for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
        uint32_t q = g->cursor[l];
        for (; q < g->end[l] && ranks[b->own.col_ind[q]] < (stage + 1) * width; q++)
            slots[l * t->stride + q - g->cursor[l]] =
                (uint16_t)(ranks[b->own.col_ind[q]] - stage * width + 1);
        t->count[l] = q - g->cursor[l];
    }
    spmmi_bank_order(t);
    for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
        for (uint32_t i = 0; i < t->count[l]; i++) {
            const uint32_t step = t->step[l * t->stride + i];
            const uint32_t position = g->position + step * SPMMI_TILED_LANES + l;
            layout->local[position] = slots[l * t->stride + i];
            layout->value_map[g->cursor[l] + i] = position;
        }
    }
}

void spmmi_tiled_row_block_entries(struct spmmi_tiled_builder *b, uint32_t row_block, const uint32_t *ranks,
                                   uint16_t *scratch)
{
    struct spmmi_tiled_layout *layout = b->layout;
    const uint32_t width = spmmi_tiled_stage_width(b, row_block),
                   stages = layout->row_block_stage[row_block + 1] - layout->row_block_stage[row_block];
    const uint32_t *slices = layout->warp_slice + (uint64_t)layout->row_block_stage[row_block] * b->warps;
    const uint32_t *next = layout->warp_slice + (uint64_t)layout->row_block_stage[row_block + 1] * b->warps;
    const size_t values = (size_t)SPMMI_BANK_LANES * width;
    struct spmmi_bank_turns t = {width, {0}, scratch, scratch + values, scratch + 2 * values};
    memset(layout->local + (size_t)*slices * SPMMI_TILED_LANES, 0,
           (size_t)(*next - *slices) * SPMMI_TILED_LANES * sizeof *layout->local);
    for (uint32_t first = 0; first < b->part->block_rows; first += SPMMI_BANK_LANES) {
        struct group g;
        for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++) {
            const uint32_t unit = spmmi_tiled_unit_at(b, row_block, first + l);
            g.cursor[l] = spmmi_tiled_unit_begin(b, unit);
            g.end[l] = spmmi_tiled_unit_end(b, unit);
        }
        for (uint32_t s = 0; s < stages; s++) {
            g.position = slices[s * b->warps + first / SPMMI_TILED_LANES] * SPMMI_TILED_LANES +
                         first % SPMMI_TILED_LANES;
            group_entries(b, s, width, ranks, &g, &t, scratch);
            for (uint32_t l = 0; l < SPMMI_BANK_LANES; l++)
                g.cursor[l] += t.count[l];
        }
    }
}

void spmmi_tiled_row_block_targets(struct spmmi_tiled_builder *b, uint32_t row_block)
{
    const bool permutes = (b->part->flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
    for (uint32_t t = 0; t < b->part->block_rows; t++) {
        const uint32_t unit = spmmi_tiled_unit_at(b, row_block, t),
                       position = row_block * b->part->block_rows + t;
        b->layout->target[position] = unit == b->units.count ? SPMMI_TILED_NONE
                                      : permutes             ? position
                                                             : b->units.target[unit];
    }
}
