/* SPDX-License-Identifier: Apache-2.0 */
/* The device layout of the rows family (rows_kernel.h), built on the host from a CSR pattern and a part. */
#ifndef SPMMI_STREAM_LAYOUT_H
#define SPMMI_STREAM_LAYOUT_H

#include "rows_kernel.h"
#include "format/plan.h"

struct spmmi_stream_host {
    uint32_t nnz, ranks, empty_count;
    uint32_t *columns;     /* nnz + SPMMI_STREAM_PAD */
    uint32_t *rank_start;  /* ranks + 1 */
    uint32_t *row_of_rank; /* ranks + 1; NULL when no row is empty */
    uint32_t *empty_rows;  /* empty_count; NULL when no row is empty */
};

struct spmmi_items_host {
    uint32_t item_count;
    uint32_t *item_rank;  /* item_count + 1 */
    uint32_t *item_start; /* item_count + 1; NULL for nonzero split */
};

/* Rows that have nonzeros. */
uint32_t spmmi_ranks_count(int64_t rows, const int64_t *row_ptr);
/* All but the columns, which stay NULL. nnz + SPMMI_STREAM_PAD must fit 31 bits (TOO_LARGE). Free with
 * spmmi_stream_host_free. */
spmm_status_t spmmi_stream_ranks_build(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream,
                                       spmm_diag_t *diag);
/* Columns and where their rows begin: a source of elements 0 .. nnz + SPMMI_STREAM_PAD - 1 of the stream's columns. */
struct spmmi_columns_source {
    const int32_t *col_ind;
    const struct spmmi_stream_host *stream;
};
/* Elements first .. first + count - 1 of a struct spmmi_columns_source. */
void spmmi_columns_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* The same of the columns in 16 bits, without flags. */
void spmmi_narrow_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Bytes first .. first + count - 1 of the flags, of the struct spmmi_stream_host that is the source. */
void spmmi_row_ends_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Both. */
spmm_status_t spmmi_stream_build(int64_t rows, const int64_t *row_ptr, const int32_t *col_ind,
                                 struct spmmi_stream_host *stream, spmm_diag_t *diag);
void spmmi_stream_host_free(struct spmmi_stream_host *stream);
/* Most bytes that it takes. */
uint64_t spmmi_stream_host_bytes(int64_t nnz, int64_t rows);

/* Items of a part over the same pattern. */
spmm_status_t spmmi_items_build(const struct spmmi_part *part, int64_t rows, const int64_t *row_ptr,
                                struct spmmi_items_host *items, spmm_diag_t *diag);
void spmmi_items_host_free(struct spmmi_items_host *items);
/* Most bytes that they and their blocks take, of so many nonzeros and rows. */
uint64_t spmmi_items_host_bytes(const struct spmmi_part *part, int64_t nnz, int64_t rows);

/* Blocks of a nonzero split every block_nonzeros, a multiple of the item size: count + 1 entries of blocks, with
 * count = ceil(nnz / block_nonzeros). A boundary moves back to the start of its row by move_max at most. */
void spmmi_blocks_build(const struct spmmi_stream_host *stream, const struct spmmi_items_host *items,
                        uint32_t item_size, uint32_t block_nonzeros, uint32_t move_max,
                        struct spmmi_block *blocks);

#endif
