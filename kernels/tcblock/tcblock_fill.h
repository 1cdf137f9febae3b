/* SPDX-License-Identifier: Apache-2.0 */
/* Packing of one unit of the window and panel families: its size in the arrays of the layout, and its content. The bcsr
 * family uses the frame too. */
#ifndef SPMMI_TCBLOCK_FILL_H
#define SPMMI_TCBLOCK_FILL_H

#include "tcblock_layout.h"
#include "tcblock_unit.h"

#define SPMMI_TCBLOCK_BLOCK 8u /* columns of a block, and rows */

struct spmmi_tcblock_frame {
    const int64_t *row_ptr;
    const int32_t *col_ind;
    const struct spmmi_part *part;
    struct spmmi_tcblock_layout *layout;
    uint32_t width; /* entries of columns of a step, a power of two */
    uint16_t has_locals;
    uint32_t value_bytes;
    uint32_t align; /* packed values of a step are a multiple of so many */
};

/* Where a unit begins in the arrays, or how much it needs of them. */
struct spmmi_tcblock_position {
    uint64_t step, block, value;
};

/* The row of op(A) at position `at` of the units' rows, or none; row_of becomes the row of C that it belongs to. */
uint32_t spmmi_tcblock_row_fill(const struct spmmi_tcblock_frame *f, uint64_t at);

/* Of a struct spmmi_tcblock_unit, as the functions of struct spmmi_tcblock_kind are. Steps, blocks and values of a
 * unit; the most blocks and values of a step become at least those of its steps. */
struct spmmi_tcblock_position spmmi_tcblock_needs(const struct spmmi_tcblock_frame *f, const void *unit,
                                                  uint32_t *blocks_max, uint32_t *values_max);
/* Everything of unit u but its items. */
void spmmi_tcblock_fill(const struct spmmi_tcblock_frame *f, const void *unit, uint32_t u,
                        struct spmmi_tcblock_position position);

#endif
