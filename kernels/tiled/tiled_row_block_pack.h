/* SPDX-License-Identifier: Apache-2.0 */
/* One row block of the layout that tiled_pack.c builds. A thread has one word per column. While the
 * columns of the row block are found, it is a mark ("seen in this row block"); later it is the rank of
 * the column in the row block. */
#ifndef SPMMI_TILED_ROW_BLOCK_PACK_H
#define SPMMI_TILED_ROW_BLOCK_PACK_H

#include "tiled_columns_pack.h"
#include "tiled_layout.h"
#include "tiled_units.h"

struct spmmi_tiled_builder {
    struct spmmi_tiled_columns own;
    const struct spmmi_part *part;
    struct spmmi_tiled_units units;
    struct spmmi_tiled_layout *layout;
    uint32_t warps;            /* warps per row block */
    uint32_t *row_block_width; /* distinct columns of each row block */
    /* Position of each row block's list in `distinct`, after the entries of all previous row blocks. */
    uint64_t *row_block_begin;
    uint32_t *distinct; /* lists of distinct columns */
    int threads;
    uint32_t *ranks, *spares; /* ranks: threads * columns; spares: threads * spare_length */
    uint64_t spare_length;
};

/* Returns the unit of a thread of a row block; the number of units if the thread is past the last one. */
static inline uint32_t spmmi_tiled_unit_at(const struct spmmi_tiled_builder *b, uint32_t row_block,
                                           uint32_t thread)
{
    const uint64_t position = (uint64_t)row_block * b->part->block_rows + thread;
    return position < b->units.count ? b->part->items[position] : b->units.count;
}

static inline uint32_t spmmi_tiled_unit_begin(const struct spmmi_tiled_builder *b, uint32_t unit)
{
    return b->units.begin[unit];
}

static inline uint32_t spmmi_tiled_unit_end(const struct spmmi_tiled_builder *b, uint32_t unit)
{
    return unit < b->units.count ? b->units.begin[unit + 1] : b->units.begin[unit];
}

/* Stores the row block's distinct columns, ascending, in its list. */
void spmmi_tiled_row_block_columns(struct spmmi_tiled_builder *b, uint32_t row_block, uint32_t *marks,
                                   uint32_t *spare);
/* Returns the columns of a stage of the row block; its last stage may have fewer. */
uint32_t spmmi_tiled_stage_width(const struct spmmi_tiled_builder *b, uint32_t row_block);
/* Stores the columns in the layout, and their ranks in the thread's array. */
void spmmi_tiled_row_block_ranks(const struct spmmi_tiled_builder *b, uint32_t row_block, uint32_t *ranks);
/* Counts the slices of each warp in each stage: as many as its longest lane has entries there. */
void spmmi_tiled_row_block_slices(struct spmmi_tiled_builder *b, uint32_t row_block, const uint32_t *ranks);
/* Stores the entries. scratch: slots, steps and queues of eight lanes in one stage. */
void spmmi_tiled_row_block_entries(struct spmmi_tiled_builder *b, uint32_t row_block, const uint32_t *ranks,
                                   uint16_t *scratch);
void spmmi_tiled_row_block_targets(struct spmmi_tiled_builder *b, uint32_t row_block);

#endif
