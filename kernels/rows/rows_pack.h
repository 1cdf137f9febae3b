/* SPDX-License-Identifier: Apache-2.0 */
/* The device layout of the rows family (rows_kernel.h), built on the host from a CSR pattern and a part. */
#ifndef SPMMI_STREAM_LAYOUT_H
#define SPMMI_STREAM_LAYOUT_H

#include "rows_kernel.h"
#include "format/plan.h"

struct spmmi_stream_host {
    uint32_t nnz, ranks, empty_count;
    const int64_t *row_ptr; /* not owned */
    uint32_t *rank_start;   /* ranks + 1; NULL when no row is empty: row_ptr has them */
    uint32_t *row_of_rank;  /* ranks + 1; NULL when no row is empty */
    uint32_t *empty_rows;   /* empty_count; NULL when no row is empty */
};

/* Returns the first nonzero of a rank; nnz for the rank after the last. */
static inline uint32_t spmmi_rank_start(const struct spmmi_stream_host *stream, uint32_t rank)
{
    return stream->rank_start != NULL ? stream->rank_start[rank] : (uint32_t)stream->row_ptr[rank];
}

/* Returns the number of rows that have nonzeros. */
uint32_t spmmi_ranks_count(int64_t rows, const int64_t *row_ptr);
/* Builds the tables of ranks. nnz + SPMMI_STREAM_PAD must fit 31 bits (else TOO_LARGE). row_ptr must outlive
 * the stream. Free the stream with spmmi_stream_host_free. */
spmm_status_t spmmi_stream_ranks_build(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream,
                                       spmm_diag_t *diag);
/* Fills entries first .. first + count - 1 of rank_start. source: a struct spmmi_stream_host. */
void spmmi_rank_starts_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Source of elements 0 .. nnz + SPMMI_STREAM_PAD - 1 of the stream's columns. */
struct spmmi_columns_source {
    const int32_t *col_ind;
    const struct spmmi_stream_host *stream;
};
/* Fills elements first .. first + count - 1 of the columns, with flags. source: a struct
 * spmmi_columns_source. */
void spmmi_columns_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Does the same for columns of 16 bits, without flags. */
void spmmi_narrow_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Fills bytes first .. first + count - 1 of row_ends. source: a struct spmmi_stream_host. */
void spmmi_row_ends_fill(const void *source, uint64_t first, uint64_t count, void *to);
void spmmi_stream_host_free(struct spmmi_stream_host *stream);
/* Returns the most bytes that a stream of this number of rows allocates on the host. */
uint64_t spmmi_stream_host_bytes(int64_t rows);

/* Source of item_rank, with item_count + 1 entries, for the items of a part over the same pattern. */
struct spmmi_items_source {
    const struct spmmi_stream_host *stream;
    uint32_t item_count, item_size;
    const uint32_t *rows; /* row split: first row of each item; NULL: nonzero split */
};
/* Fills entries first .. first + count - 1 of item_rank. source: a struct spmmi_items_source. */
void spmmi_item_ranks_fill(const void *source, uint64_t first, uint64_t count, void *to);

/* Source of the blocks of a nonzero split: ceil(nnz / nonzeros) + 1 boundaries, one every `nonzeros`
 * nonzeros. A boundary moves back to the start of its row if that is at most move_max nonzeros before. */
struct spmmi_blocks_source {
    const struct spmmi_stream_host *stream;
    uint32_t nonzeros, move_max;
};
void spmmi_blocks_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Returns the most rows, empty ones included, from the start of a block to the start of the next, for `count`
 * blocks. */
uint32_t spmmi_blocks_most_rows(const struct spmmi_blocks_source *source, uint64_t count);
/* Returns the most bytes that the host tables of blocks of few columns take. */
uint64_t spmmi_blocks_host_bytes(int64_t nnz, int64_t rows);

#endif
