/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks with lists of columns (rows_gathered_shape.h), built on the host from a CSR pattern. */
#ifndef SPMMI_ROWS_GATHERED_PACK_H
#define SPMMI_ROWS_GATHERED_PACK_H

#include "rows_gathered_shape.h"
#include "rows_pack.h"

struct spmmi_gathered_host {
    const struct spmmi_stream_host *stream; /* of the rows; not owned, like col_ind */
    const int32_t *col_ind;
    int64_t cols;
    uint32_t count, columns;             /* blocks; entries of all lists */
    uint64_t entries;                    /* of values and local indices, a multiple of 4 */
    uint64_t changes;                    /* of the group of 8 columns, as in spmmi_gathered_pays */
    uint32_t shared_values_max;          /* most slots plus sums of rows of a block */
    struct spmmi_gathered_block *blocks; /* one per block */
    uint32_t *starts;                    /* count + 1: first nonzero of each block, then nnz */
    /* Made by spmmi_gathered_fill: */
    uint16_t *local;      /* entries: local indices, flagged */
    uint32_t *list;       /* columns: the lists, each in ascending order */
    uint16_t *first_rank; /* for each thread of each block: its first row, counted from the block's first */
};

/* Cuts the rows into blocks and counts their columns. cols: the columns of op(A). Free the object with
 * spmmi_gathered_host_free, also after an error. */
spmm_status_t spmmi_gathered_build(const struct spmmi_stream_host *stream, const int32_t *col_ind,
                                   int64_t cols, uint32_t nonzeros, struct spmmi_gathered_host *host,
                                   spmm_diag_t *diag);
/* Makes the indices and lists. */
spmm_status_t spmmi_gathered_fill(struct spmmi_gathered_host *host, spmm_diag_t *diag);
void spmmi_gathered_host_free(struct spmmi_gathered_host *host);
/* Returns the most bytes that the object allocates at a time. */
uint64_t spmmi_gathered_host_bytes(const struct spmmi_gathered_host *host);

#endif
