/* SPDX-License-Identifier: Apache-2.0 */
/* Packs one unit of the window and panel families: its size in the arrays of the layout, and its content. The
 * bcsr family uses the frame too. */
#ifndef SPMMI_TCBLOCK_FILL_H
#define SPMMI_TCBLOCK_FILL_H

#include "tcblock_layout.h"
#include "tcblock_unit.h"

#define SPMMI_TCBLOCK_BLOCK 8u /* columns and rows of a block */

struct spmmi_tcblock_frame {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const struct spmmi_part *part;
    struct spmmi_tcblock_layout *layout;
    uint32_t width; /* entries of `columns` per step, a power of two */
    uint16_t has_locals;
    uint32_t value_bytes;
    uint32_t align; /* the number of packed values per step is a multiple of this */
};

/* Where a unit begins in the arrays, or how many entries it needs there. */
struct spmmi_tcblock_position {
    uint64_t step, block, value;
};

/* Sets row_of[at] to the row of C for position `at` of the units' rows. Returns the row of op(A)
 * there, or SPMMI_TCBLOCK_NONE. */
uint32_t spmmi_tcblock_row_fill(const struct spmmi_tcblock_frame *f, uint64_t at);

/* Functions of struct spmmi_tcblock_kind for a struct spmmi_tcblock_unit. Returns the numbers of steps,
 * blocks and values of a unit. Raises *blocks_max and *values_max to the largest numbers of one of its
 * steps. */
struct spmmi_tcblock_position spmmi_tcblock_needs(const struct spmmi_tcblock_frame *f, const void *unit,
                                                  uint32_t *blocks_max, uint32_t *values_max);
/* Fills in all arrays of unit u except its items. */
void spmmi_tcblock_fill(const struct spmmi_tcblock_frame *f, const void *unit, uint32_t u,
                        struct spmmi_tcblock_position position);

#endif
