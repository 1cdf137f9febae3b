/* SPDX-License-Identifier: Apache-2.0 */
/* One block-row group of the bcsr family: its block columns, what it takes in the arrays of the layout, and what
 * it holds there. */
#ifndef SPMMI_BCSR_UNIT_H
#define SPMMI_BCSR_UNIT_H

#include "kernels/tcblock/tcblock_kind.h"
#include "kernels/tcblock/tcblock_rows.h"

struct spmmi_bcsr_column {
    uint32_t column;     /* block column: columns [column * block_columns, + block_columns) */
    uint32_t block_rows; /* bit w: block row w has a nonzero in it */
};

/* What one thread knows about a block-row group. */
struct spmmi_bcsr_unit {
    uint32_t count;                    /* block columns */
    struct spmmi_bcsr_column *columns; /* count, ascending */
    uint64_t *keys, *spare;            /* scratch, of as many entries as the longest group has nonzeros */
    uint8_t *marks;                    /* scratch for up to marked_max columns of a block row */
    uint32_t marked_max;
};

/* Bytes of these marks. */
uint64_t spmmi_bcsr_marks_bytes(uint32_t marked_max);
/* Bitmaps of a group whose rows are marked (spmmi_rows_are_marked), where the masks of its steps are there. */
void spmmi_bcsr_bitmaps_fill(const struct spmmi_tcblock_frame *f, const struct spmmi_bcsr_unit *unit,
                             const struct spmmi_tcblock_rows *look, uint64_t step);

/* Block-row groups of wide blocks: masks say which of a step's blocks are there. */
extern const struct spmmi_tcblock_kind spmmi_bcsr_kind;

#endif
