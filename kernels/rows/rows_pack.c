/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_pack.h. */
#include "rows_pack.h"

#include <string.h>

#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

#define RANK_PIECES 64

/* Returns the number of rows of [begin, end) that have nonzeros. */
static uint32_t count_ranks(const int64_t *row_ptr, int64_t begin, int64_t end)
{
    uint32_t ranks = 0;
    for (int64_t i = begin; i < end; i++)
        ranks += row_ptr[i] < row_ptr[i + 1];
    return ranks;
}

/* Ranges of rows for parallel counting, and the number of ranks before each range. */
struct rank_pieces {
    int64_t row[RANK_PIECES + 1];
    uint32_t rank[RANK_PIECES + 1];
};

static void count_pieces(int64_t rows, const int64_t *row_ptr, int threads, struct rank_pieces *p)
{
    for (int k = 0; k <= RANK_PIECES; k++)
        p->row[k] = rows * k / RANK_PIECES;
    p->rank[0] = 0;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int k = 0; k < RANK_PIECES; k++)
        p->rank[k + 1] = count_ranks(row_ptr, p->row[k], p->row[k + 1]);
    for (int k = 0; k < RANK_PIECES; k++)
        p->rank[k + 1] += p->rank[k];
}

static int threads_of(int64_t rows)
{
    return spmmi_pack_threads((uint64_t)rows * sizeof(int64_t));
}

uint32_t spmmi_ranks_count(int64_t rows, const int64_t *row_ptr)
{
    struct rank_pieces pieces;
    count_pieces(rows, row_ptr, threads_of(rows), &pieces);
    return pieces.rank[RANK_PIECES];
}

/* Returns the first rank whose row ends after nonzero `first`. */
static uint32_t rank_behind(const struct spmmi_stream_host *stream, uint64_t first)
{
    uint32_t low = 0, high = stream->ranks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (spmmi_rank_start(stream, middle + 1) > first)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void spmmi_rank_starts_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_stream_host *const stream = source;
    uint32_t *const starts = to;
    for (uint64_t i = 0; i < count; i++)
        starts[i] = spmmi_rank_start(stream, (uint32_t)(first + i));
}

void spmmi_columns_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_columns_source *const from = source;
    const struct spmmi_stream_host *const stream = from->stream;
    const uint64_t nnz = stream->nnz;
    const uint64_t end = first + count < nnz ? first + count : nnz;
    const uint64_t taken = end > first ? end - first : 0;
    uint32_t *const columns = to;
    if (taken > 0)
        memcpy(columns, from->col_ind + first, (size_t)taken * sizeof *columns);
    memset(columns + taken, 0, (size_t)(count - taken) * sizeof *columns);
    for (uint32_t rank = rank_behind(stream, first); rank < stream->ranks; rank++) {
        const uint64_t last = spmmi_rank_start(stream, rank + 1) - 1u;
        if (last >= end)
            break;
        columns[last - first] |= SPMMI_ROW_END;
    }
}

void spmmi_narrow_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_columns_source *const from = source;
    const uint64_t nnz = from->stream->nnz;
    uint16_t *const columns = to;
    for (uint64_t i = 0; i < count; i++)
        columns[i] = first + i < nnz ? (uint16_t)from->col_ind[first + i] : 0;
}

void spmmi_row_ends_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_stream_host *const stream = source;
    uint8_t *const ends = to;
    memset(ends, 0, (size_t)count);
    for (uint32_t rank = rank_behind(stream, 8 * first); rank < stream->ranks; rank++) {
        const uint64_t last = spmmi_rank_start(stream, rank + 1) - 1u;
        if (last / 8 >= first + count)
            break;
        ends[last / 8 - first] |= (uint8_t)(1u << last % 8);
    }
}

/* Fills the tables for rows [begin, end). rank: number of ranks before them. */
static void fill_ranks(const int64_t *row_ptr, int64_t begin, int64_t end, uint32_t rank,
                       struct spmmi_stream_host *stream)
{
    for (int64_t i = begin; i < end; i++) {
        if (row_ptr[i] == row_ptr[i + 1]) {
            stream->empty_rows[(uint32_t)i - rank] = (uint32_t)i;
            continue;
        }
        stream->rank_start[rank] = (uint32_t)row_ptr[i];
        stream->row_of_rank[rank++] = (uint32_t)i;
    }
}

static void fill_pieces(const int64_t *row_ptr, int threads, const struct rank_pieces *p,
                        struct spmmi_stream_host *stream)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int k = 0; k < RANK_PIECES; k++)
        fill_ranks(row_ptr, p->row[k], p->row[k + 1], p->rank[k], stream);
    stream->rank_start[stream->ranks] = stream->nnz;
    stream->row_of_rank[stream->ranks] = 0; /* kernels read it ahead and do not use it */
}

spmm_status_t spmmi_stream_ranks_build(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t nnz = row_ptr[rows];
    const int threads = threads_of(rows);
    struct rank_pieces pieces;
    memset(stream, 0, sizeof *stream);
    SPMM_REQUIRE(nnz <= INT32_MAX - (int64_t)SPMMI_STREAM_PAD, SPMM_ERR_TOO_LARGE, diag,
                 "GPU kernels support at most %d nonzeros, the plan has %lld",
                 INT32_MAX - (int)SPMMI_STREAM_PAD, (long long)nnz);
    stream->nnz = (uint32_t)nnz;
    count_pieces(rows, row_ptr, threads, &pieces);
    stream->ranks = pieces.rank[RANK_PIECES];
    stream->empty_count = (uint32_t)rows - stream->ranks;
    stream->row_ptr = row_ptr;
    if (stream->empty_count == 0)
        goto cleanup;
    stream->rank_start = spmmi_alloc((uint64_t)stream->ranks + 1, sizeof *stream->rank_start);
    SPMM_TRY_ALLOC(stream->rank_start, diag);
    stream->row_of_rank = spmmi_alloc((uint64_t)stream->ranks + 1, sizeof *stream->row_of_rank);
    SPMM_TRY_ALLOC(stream->row_of_rank, diag);
    stream->empty_rows = spmmi_alloc(stream->empty_count, sizeof *stream->empty_rows);
    SPMM_TRY_ALLOC(stream->empty_rows, diag);
    fill_pieces(row_ptr, threads, &pieces, stream);
cleanup:
    if (status != SPMM_OK)
        spmmi_stream_host_free(stream);
    return status;
}

void spmmi_stream_host_free(struct spmmi_stream_host *stream)
{
    spmmi_free(stream->empty_rows);
    spmmi_free(stream->row_of_rank);
    spmmi_free(stream->rank_start);
    memset(stream, 0, sizeof *stream);
}

/* A row with nonzeros takes an element of both arrays, an empty row one element. */
uint64_t spmmi_stream_host_bytes(int64_t rows)
{
    const struct spmmi_stream_host *const s = NULL;
    return ((uint64_t)rows + 1) * (sizeof *s->rank_start + sizeof *s->row_of_rank);
}

/* Returns the number of ranks whose rows are before `row`. The search starts at `rank`, which must not be
 * greater. */
static uint32_t rank_at(const struct spmmi_stream_host *stream, uint32_t row, uint32_t rank)
{
    if (stream->row_of_rank == NULL)
        return row;
    while (rank < stream->ranks && stream->row_of_rank[rank] < row)
        rank++;
    return rank;
}

/* Returns the same by bisection. */
static uint32_t rank_found(const struct spmmi_stream_host *stream, uint32_t row)
{
    uint32_t low = 0, high = stream->row_of_rank != NULL ? stream->ranks : 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->row_of_rank[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return rank_at(stream, row, low);
}

/* Returns the rank of a nonzero, with SPMMI_ITEM_INSIDE if it is not the first of its row. The search starts
 * at `rank`, which must not be greater. */
static uint32_t flagged_at(const struct spmmi_stream_host *stream, uint32_t nonzero, uint32_t rank)
{
    while (spmmi_rank_start(stream, rank + 1) <= nonzero)
        rank++;
    return spmmi_rank_start(stream, rank) < nonzero ? rank | SPMMI_ITEM_INSIDE : rank;
}

static void fill_row_items(const struct spmmi_items_source *from, uint64_t first, uint64_t count,
                           uint32_t *ranks)
{
    uint32_t rank = first < from->item_count ? rank_found(from->stream, from->rows[first]) : 0;
    for (uint64_t i = first; i < first + count; i++) {
        rank = i < from->item_count ? rank_at(from->stream, from->rows[i], rank) : from->stream->ranks;
        ranks[i - first] = rank;
    }
}

static void fill_nonzero_items(const struct spmmi_items_source *from, uint64_t first, uint64_t count,
                               uint32_t *ranks)
{
    uint32_t rank = rank_behind(from->stream, first * from->item_size);
    for (uint64_t i = first; i < first + count; i++) {
        ranks[i - first] = from->stream->ranks;
        if (i < from->item_count)
            ranks[i - first] = flagged_at(from->stream, (uint32_t)i * from->item_size, rank);
        rank = ranks[i - first] & ~SPMMI_ITEM_INSIDE;
    }
}

void spmmi_item_ranks_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_items_source *const from = source;
    if (from->rows != NULL)
        fill_row_items(from, first, count, to);
    else
        fill_nonzero_items(from, first, count, to);
}

/* The tables of all grids of few columns exist at the same time. */
uint64_t spmmi_blocks_host_bytes(int64_t nnz, int64_t rows)
{
    return SPMMI_STAGED_GRIDS *
           (1 + spmmi_staged_blocks_max((uint32_t)nnz, (uint32_t)rows, SPMMI_STAGED_NONZEROS_MIN,
                                        SPMMI_STAGED_RANKS_MIN)) *
           sizeof(struct spmmi_block);
}

void spmmi_blocks_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_blocks_source *const from = source;
    const struct spmmi_stream_host *const stream = from->stream;
    struct spmmi_block *const blocks = to;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t start = (first + i) * from->nonzeros;
        blocks[i] = (struct spmmi_block){stream->nnz, stream->ranks};
        if (start >= stream->nnz)
            continue;
        const uint32_t flagged = flagged_at(stream, (uint32_t)start, rank_behind(stream, start));
        const uint32_t rank = flagged & ~SPMMI_ITEM_INSIDE;
        blocks[i] = (struct spmmi_block){(uint32_t)start, flagged};
        if (rank != flagged && start - spmmi_rank_start(stream, rank) <= from->move_max)
            blocks[i] = (struct spmmi_block){spmmi_rank_start(stream, rank), rank};
    }
}

/* Counts rows from the start of a block to the start of the next one. row_of_rank has no row for the end of
 * the last block. */
uint32_t spmmi_blocks_most_rows(const struct spmmi_blocks_source *source, uint64_t count)
{
    const struct spmmi_stream_host *const stream = source->stream;
    uint32_t most = 0, begin = 0;
    for (uint64_t i = 1; i <= count; i++) {
        struct spmmi_block next;
        spmmi_blocks_fill(source, i, 1, &next);
        uint32_t row = next.rank & ~SPMMI_ITEM_INSIDE;
        if (row == stream->ranks)
            row += stream->empty_count;
        else if (stream->row_of_rank != NULL)
            row = stream->row_of_rank[row];
        most = row - begin > most ? row - begin : most;
        begin = row;
    }
    return most;
}
