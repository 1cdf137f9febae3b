/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_pack.h. */
#include "rows_pack.h"

#include <string.h>

#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

#define ITEM_PIECES 64

/* Rows with a nonzero of [begin, end). */
static uint32_t count_ranks(const int64_t *row_ptr, int64_t begin, int64_t end)
{
    uint32_t ranks = 0;
    for (int64_t i = begin; i < end; i++)
        ranks += row_ptr[i] < row_ptr[i + 1];
    return ranks;
}

uint32_t spmmi_ranks_count(int64_t rows, const int64_t *row_ptr)
{
    const uint64_t bytes = (uint64_t)rows * sizeof *row_ptr;
    uint32_t ranks = 0;
#pragma omp parallel for schedule(static) reduction(+ : ranks) num_threads(spmmi_team(spmmi_pack_threads(bytes)))
    for (int64_t i = 0; i < rows; i++)
        ranks += row_ptr[i] < row_ptr[i + 1];
    return ranks;
}

/* The first rank whose row ends behind nonzero `first`. */
static uint32_t rank_behind(const struct spmmi_stream_host *stream, uint64_t first)
{
    uint32_t low = 0, high = stream->ranks;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->rank_start[middle + 1] > first)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
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
        const uint64_t last = stream->rank_start[rank + 1] - 1u;
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
        const uint64_t last = stream->rank_start[rank + 1] - 1u;
        if (last / 8 >= first + count)
            break;
        ends[last / 8 - first] |= (uint8_t)(1u << last % 8);
    }
}

/* Without empty rows each is its rank. */
static void copy_starts(int64_t rows, const int64_t *row_ptr, uint32_t *starts)
{
    const uint64_t bytes = (uint64_t)rows * sizeof *row_ptr;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(spmmi_pack_threads(bytes)))
    for (int64_t i = 0; i <= rows; i++)
        starts[i] = (uint32_t)row_ptr[i];
}

static void fill_ranks(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream)
{
    uint32_t rank = 0;
    uint32_t empty = 0;
    if (stream->empty_count == 0) {
        copy_starts(rows, row_ptr, stream->rank_start);
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (row_ptr[i] == row_ptr[i + 1]) {
            stream->empty_rows[empty++] = (uint32_t)i;
            continue;
        }
        stream->rank_start[rank] = (uint32_t)row_ptr[i];
        if (stream->row_of_rank != NULL)
            stream->row_of_rank[rank] = (uint32_t)i;
        rank++;
    }
    stream->rank_start[rank] = stream->nnz;
    if (stream->row_of_rank != NULL)
        stream->row_of_rank[rank] = 0; /* read ahead by kernels, never used */
}

spmm_status_t spmmi_stream_ranks_build(int64_t rows, const int64_t *row_ptr, struct spmmi_stream_host *stream,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t nnz = row_ptr[rows];
    memset(stream, 0, sizeof *stream);
    SPMM_REQUIRE(nnz <= INT32_MAX - (int64_t)SPMMI_STREAM_PAD, SPMM_ERR_TOO_LARGE, diag,
                 "the GPU kernels hold up to %d nonzeros, the plan has %lld",
                 INT32_MAX - (int)SPMMI_STREAM_PAD, (long long)nnz);
    stream->nnz = (uint32_t)nnz;
    stream->ranks = spmmi_ranks_count(rows, row_ptr);
    stream->empty_count = (uint32_t)rows - stream->ranks;
    stream->rank_start = spmmi_alloc((uint64_t)stream->ranks + 1, sizeof *stream->rank_start);
    SPMM_TRY_ALLOC(stream->rank_start, diag);
    if (stream->empty_count > 0) {
        stream->row_of_rank = spmmi_alloc((uint64_t)stream->ranks + 1, sizeof *stream->row_of_rank);
        SPMM_TRY_ALLOC(stream->row_of_rank, diag);
        stream->empty_rows = spmmi_alloc(stream->empty_count, sizeof *stream->empty_rows);
        SPMM_TRY_ALLOC(stream->empty_rows, diag);
    }
    fill_ranks(rows, row_ptr, stream);
cleanup:
    if (status != SPMM_OK)
        spmmi_stream_host_free(stream);
    return status;
}

spmm_status_t spmmi_stream_build(int64_t rows, const int64_t *row_ptr, const int32_t *col_ind,
                                 struct spmmi_stream_host *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_columns_source source = {col_ind, stream};
    SPMM_TRY(spmmi_stream_ranks_build(rows, row_ptr, stream, diag));
    const uint64_t padded = (uint64_t)stream->nnz + SPMMI_STREAM_PAD;
    SPMM_TRY_ALLOC(stream->columns = spmmi_alloc(padded, sizeof *stream->columns), diag);
    spmmi_columns_fill(&source, 0, padded, stream->columns);
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
    spmmi_free(stream->columns);
    memset(stream, 0, sizeof *stream);
}

/* A row is a rank, with 4 bytes of either array, or empty. */
uint64_t spmmi_stream_host_bytes(int64_t nnz, int64_t rows)
{
    const struct spmmi_stream_host *const s = NULL;
    return ((uint64_t)nnz + SPMMI_STREAM_PAD) * sizeof *s->columns +
           ((uint64_t)rows + 1) * (sizeof *s->rank_start + sizeof *s->row_of_rank);
}

/* Items [begin, end), with `rank` ranks before the row of the first. Both schedules walk the items in order, so ranks
 * are counted along. */
static void fill_items(const struct spmmi_part *part, const int64_t *row_ptr, uint32_t begin, uint32_t end,
                       uint32_t rank, struct spmmi_items_host *items)
{
    const int is_row_split = part->schedule == SPMM_SCHEDULE_ROW_SPLIT;
    int64_t row = begin < end ? (int64_t)part->items[begin] : 0;
    for (uint32_t i = begin; i < end; i++) {
        rank += count_ranks(row_ptr, row, (int64_t)part->items[i]);
        row = (int64_t)part->items[i];
        items->item_rank[i] = rank;
        if (is_row_split)
            items->item_start[i] = (uint32_t)row_ptr[row];
        else if (row_ptr[row] < (int64_t)i * part->item_size)
            items->item_rank[i] |= SPMMI_ITEM_INSIDE;
    }
}

/* In pieces, whose ranks are counted first. */
static void fill_all_items(const struct spmmi_part *part, int64_t rows, const int64_t *row_ptr,
                           struct spmmi_items_host *items)
{
    const uint32_t count = items->item_count;
    const uint64_t bytes = ((uint64_t)rows + count) * sizeof *items->item_rank;
    uint32_t first[ITEM_PIECES + 1], rank[ITEM_PIECES + 1];
    int64_t row[ITEM_PIECES + 2] = {0}; /* of each piece's first item, between the first row and the end */
    for (int k = 0; k <= ITEM_PIECES; k++) {
        first[k] = (uint32_t)((uint64_t)count * (uint64_t)k / ITEM_PIECES);
        row[k + 1] = first[k] < count ? (int64_t)part->items[first[k]] : rows;
    }
#pragma omp parallel for schedule(static) num_threads(spmmi_team(spmmi_pack_threads(bytes)))
    for (int k = 0; k <= ITEM_PIECES; k++)
        rank[k] = count_ranks(row_ptr, row[k], row[k + 1]);
    for (int k = 1; k <= ITEM_PIECES; k++)
        rank[k] += rank[k - 1];
#pragma omp parallel for schedule(static) num_threads(spmmi_team(spmmi_pack_threads(bytes)))
    for (int k = 0; k < ITEM_PIECES; k++)
        fill_items(part, row_ptr, first[k], first[k + 1], rank[k], items);
    items->item_rank[count] = rank[ITEM_PIECES];
    if (part->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        items->item_start[count] = (uint32_t)row_ptr[rows];
}

spmm_status_t spmmi_items_build(const struct spmmi_part *part, int64_t rows, const int64_t *row_ptr,
                                struct spmmi_items_host *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    memset(items, 0, sizeof *items);
    items->item_count = (uint32_t)part->item_count;
    items->item_rank = spmmi_alloc(part->item_count + 1, sizeof *items->item_rank);
    SPMM_TRY_ALLOC(items->item_rank, diag);
    if (part->schedule == SPMM_SCHEDULE_ROW_SPLIT) {
        items->item_start = spmmi_alloc(part->item_count + 1, sizeof *items->item_start);
        SPMM_TRY_ALLOC(items->item_start, diag);
    }
    fill_all_items(part, rows, row_ptr, items);
cleanup:
    if (status != SPMM_OK)
        spmmi_items_host_free(items);
    return status;
}

void spmmi_items_host_free(struct spmmi_items_host *items)
{
    spmmi_free(items->item_start);
    spmmi_free(items->item_rank);
    memset(items, 0, sizeof *items);
}

/* A block has an item or more; all tables of few columns are made together. */
uint64_t spmmi_items_host_bytes(const struct spmmi_part *part, int64_t nnz, int64_t rows)
{
    const struct spmmi_items_host *const i = NULL;
    const uint64_t items = part->item_count + 1;
    const uint64_t staged = spmmi_staged_blocks_max((uint32_t)nnz, (uint32_t)rows, SPMMI_STAGED_NONZEROS_MIN,
                                                    SPMMI_STAGED_RANKS_MIN);
    return items * (sizeof *i->item_rank + sizeof *i->item_start) +
           (items > SPMMI_STAGED_GRIDS * (staged + 1) ? items : SPMMI_STAGED_GRIDS * (staged + 1)) *
               sizeof(struct spmmi_block);
}

void spmmi_blocks_build(const struct spmmi_stream_host *stream, const struct spmmi_items_host *items,
                        uint32_t item_size, uint32_t block_nonzeros, uint32_t move_max,
                        struct spmmi_block *blocks)
{
    const uint32_t count = (stream->nnz + block_nonzeros - 1) / block_nonzeros;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t start = i * block_nonzeros;
        const uint32_t flagged = items->item_rank[start / item_size];
        const uint32_t rank = flagged & ~SPMMI_ITEM_INSIDE;
        blocks[i] = (struct spmmi_block){start, flagged};
        if (rank != flagged && start - stream->rank_start[rank] <= move_max)
            blocks[i] = (struct spmmi_block){stream->rank_start[rank], rank};
    }
    blocks[count] = (struct spmmi_block){stream->nnz, stream->ranks};
}
