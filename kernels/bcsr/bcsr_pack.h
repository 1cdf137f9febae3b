/* SPDX-License-Identifier: Apache-2.0 */
/* One block-row group of the bcsr family: its block columns, its size in the arrays of
 * the layout, and its content. */
#ifndef SPMMI_BCSR_UNIT_H
#define SPMMI_BCSR_UNIT_H

#include "kernels/tcblock/tcblock_kind.h"
#include "kernels/tcblock/tcblock_rows.h"

struct spmmi_bcsr_column {
    uint32_t column;     /* number of the block column: columns [column * block_columns, + block_columns) */
    uint32_t block_rows; /* bit w is set if block row w has a nonzero in it */
};

/* One thread's data about a block-row group. */
struct spmmi_bcsr_unit {
    uint32_t count;                    /* number of block columns */
    struct spmmi_bcsr_column *columns; /* count, ascending */
    uint64_t *keys, *spare;            /* scratch: one entry per nonzero of the longest group */
    uint8_t *marks;                    /* scratch for up to marked_max columns of a block row */
    uint32_t marked_max;
};

/* Returns the bytes of the marks. */
uint64_t spmmi_bcsr_marks_bytes(uint32_t marked_max);
/* Fills the bitmaps of a group whose rows are marked (spmmi_rows_are_marked). The masks
 * of its steps must be set. */
void spmmi_bcsr_bitmaps_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit,
                             const struct spmmi_tcblock_rows *look, uint64_t step);

/* Functions for block-row groups of wide blocks. Masks say which blocks of a step exist. */
extern const struct spmmi_tcblock_kind spmmi_bcsr_kind;

#endif
