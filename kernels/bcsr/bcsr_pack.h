/* SPDX-License-Identifier: Apache-2.0 */
/* One strip of the bcsr family: its block columns, what it takes in the arrays of the layout, and what
 * it holds there. */
#ifndef SPMMI_BCSR_UNIT_H
#define SPMMI_BCSR_UNIT_H

#include "kernels/tcblock/fragment_fill.h"

struct spmmi_bcsr_column {
    uint32_t column;     /* block column: columns [column * block_columns, + block_columns) */
    uint32_t block_rows; /* bit w: block row w has a number in it */
};

/* What one thread knows about a strip. */
struct spmmi_bcsr_unit {
    uint32_t count;                    /* block columns */
    struct spmmi_bcsr_column *columns; /* count, ascending */
    uint64_t *keys, *spare;            /* scratch */
};

/* Room for a strip of so many nonzeros. Errors: MEMORY. Free with spmmi_bcsr_unit_free, also after an error. */
spmm_status_t spmmi_bcsr_unit_make(uint64_t nonzeros, struct spmmi_bcsr_unit *unit, spmm_diag_t *diag);
void spmmi_bcsr_unit_free(struct spmmi_bcsr_unit *unit);
/* Bytes of that room for each nonzero. */
uint64_t spmmi_bcsr_unit_bytes(void);

/* Fill unit from its rows: row_count of them, the last block rows may have fewer than 16 or none. Time: linear in the
 * nonzeros times the bytes of the range of block columns. */
void spmmi_bcsr_unit_read(struct spmmi_bcsr_unit *unit, const int64_t *row_ptr, const int32_t *col_ind,
                          const uint32_t *rows, uint32_t row_count, uint32_t block_columns);

/* As spmmi_fragment_needs and spmmi_fragment_fill. */
struct spmmi_fragment_place spmmi_bcsr_needs(const struct spmmi_fragment_frame *f,
                                             const struct spmmi_bcsr_unit *unit, uint32_t *blocks_max);
void spmmi_bcsr_fill(const struct spmmi_fragment_frame *f, const struct spmmi_bcsr_unit *unit, uint32_t u,
                     struct spmmi_fragment_place place);

#endif
