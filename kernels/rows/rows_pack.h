/* SPDX-License-Identifier: Apache-2.0 */
/* The device layout of the rows family (rows_kernel.h), built on the host from a CSR pattern and a part. */
#ifndef SPMMI_STREAM_LAYOUT_H
#define SPMMI_STREAM_LAYOUT_H

#include "rows_kernel.h"
#include "format/plan.h"

struct spmmi_stream_host {
    uint32_t nnz, ranks, empty_count;
    const int64_t *row_ptr; /* not owned */
    uint32_t *rank_start;   /* ranks + 1; NULL when no row is empty: then row_ptr says it */
    uint32_t *row_of_rank;  /* ranks + 1; NULL when no row is empty */
    uint32_t *empty_rows;   /* empty_count; NULL when no row is empty */
};

/* The first nonzero of a rank; nnz behind the last. */
static inline uint32_t spmmi_rank_start(const struct spmmi_stream_host *stream, uint32_t rank)
{
    return stream->rank_start != NULL ? stream->rank_start[rank] : (uint32_t)stream->row_ptr[rank];
}

/* Rows that have nonzeros. */
uint32_t spmmi_ranks_count(int64_t rows, const int64_t *row_ptr);
/* nnz + SPMMI_STREAM_PAD must fit 31 bits (TOO_LARGE). row_ptr lives as long. Free with spmmi_stream_host_free. */
spmm_status_t spmmi_stream_ranks_build(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream,
                                       spmm_diag_t *diag);
/* Entries first .. first + count - 1 of where ranks begin, of the struct spmmi_stream_host that is the source. */
void spmmi_rank_starts_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Columns, and where their rows begin: a source of elements 0 .. nnz + SPMMI_STREAM_PAD - 1 of the stream's columns. */
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
void spmmi_stream_host_free(struct spmmi_stream_host *stream);
/* Most bytes that it takes. */
uint64_t spmmi_stream_host_bytes(int64_t rows);

/* The items of a part over the same pattern, a source of item_count + 1 entries. */
struct spmmi_items_source {
    const struct spmmi_stream_host *stream;
    uint32_t item_count, item_size;
    const uint32_t *rows; /* row split: of each item; NULL: nonzero split */
};
/* Entries first .. first + count - 1 of item_rank. */
void spmmi_item_ranks_fill(const void *source, uint64_t first, uint64_t count, void *to);

/* Blocks of a nonzero split every `nonzeros`, a source of ceil(nnz / nonzeros) + 1 of them. A boundary moves back to
 * the start of its row by move_max at most. */
struct spmmi_blocks_source {
    const struct spmmi_stream_host *stream;
    uint32_t nonzeros, move_max;
};
void spmmi_blocks_fill(const void *source, uint64_t first, uint64_t count, void *to);
/* Most rows that begin in one of so many blocks, with empty ones before its first. */
uint32_t spmmi_blocks_most_rows(const struct spmmi_blocks_source *source, uint64_t count);
/* Most bytes that the blocks of few columns take, of so many nonzeros and rows. */
uint64_t spmmi_blocks_host_bytes(int64_t nnz, int64_t rows);

#endif
