/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_slices_pack.h. */
#include "rows_slices_pack.h"

#include <string.h>

#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

static uint32_t length_of(const struct spmmi_stream_host *stream, uint32_t rank)
{
    return spmmi_rank_start(stream, rank + 1) - spmmi_rank_start(stream, rank);
}

/* Returns the rank after the last rank of a slice. */
static uint32_t slice_end(const struct spmmi_stream_host *stream, uint32_t slice)
{
    const uint32_t end = (slice + 1) * SPMMI_SLICE_ROWS;
    return end < stream->ranks ? end : stream->ranks;
}

static struct spmmi_row_slice slice_of_ranks(const struct spmmi_stream_host *stream, const int32_t *col_ind,
                                             uint32_t slice)
{
    const uint32_t end = slice_end(stream, slice);
    struct spmmi_row_slice s = spmmi_row_slice_empty;
    for (uint32_t rank = slice * SPMMI_SLICE_ROWS; rank < end; rank++)
        spmmi_row_slice_add(&s, col_ind + spmmi_rank_start(stream, rank), length_of(stream, rank));
    return s;
}

static int threads_of(const struct spmmi_stream_host *stream)
{
    return spmmi_pack_threads((uint64_t)stream->ranks * sizeof *stream->row_ptr);
}

#pragma omp declare reduction(slices_add                \
                              : struct spmmi_row_slices \
                              : spmmi_row_slices_add(&omp_out, &omp_in)) initializer(omp_priv = omp_orig)

struct spmmi_row_slices spmmi_slices_size(const struct spmmi_stream_host *stream, const int32_t *col_ind)
{
    const uint32_t count = spmmi_slices_count(stream->ranks);
    struct spmmi_row_slices all = {0, 0, 0, 0, 0, 0};
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads_of(stream))) reduction(slices_add \
                                                                                                : all)
    for (uint32_t slice = 0; slice < count; slice++) {
        const struct spmmi_row_slice s = slice_of_ranks(stream, col_ind, slice);
        spmmi_row_slices_close(&all, &s);
    }
    return all;
}

/* Fills a slice except for its start. Stores its number of entries as the start of the next slice; starts are
 * summed later. */
static void fill_slice(struct spmmi_slices_host *host, uint32_t slice)
{
    const struct spmmi_stream_host *const stream = host->stream;
    const uint32_t end = slice_end(stream, slice);
    const struct spmmi_row_slice s = slice_of_ranks(stream, host->col_ind, slice);
    host->slices[slice].column = host->index != SPMMI_INDEX_32 ? (uint32_t)s.first : 0;
    host->slices[slice + 1].start = (uint32_t)s.longest * SPMMI_SLICE_ROWS;
    for (uint32_t rank = slice * SPMMI_SLICE_ROWS; rank < end; rank++)
        host->padding[rank] = (uint8_t)(s.longest - length_of(stream, rank));
}

spmm_status_t spmmi_slices_build(const struct spmmi_stream_host *stream, const int32_t *col_ind,
                                 const struct spmmi_row_slices *size, enum spmmi_slice_index index,
                                 struct spmmi_slices_host *host, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t count = spmmi_slices_count(stream->ranks);
    *host = (struct spmmi_slices_host){*size, index, stream, col_ind, NULL, NULL};
    SPMM_TRY_ALLOC(host->slices = spmmi_alloc_zero((uint64_t)count + 1, sizeof *host->slices), diag);
    SPMM_TRY_ALLOC(host->padding = spmmi_alloc_zero(count, SPMMI_SLICE_ROWS), diag);
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads_of(stream)))
    for (uint32_t slice = 0; slice < count; slice++)
        fill_slice(host, slice);
    for (uint32_t slice = 0; slice < count; slice++)
        host->slices[slice + 1].start += host->slices[slice].start;
    SPMM_REQUIRE((int64_t)host->slices[count].start == size->entries, SPMM_ERR_INTERNAL, diag,
                 "slices have %u entries, %lld were counted", host->slices[count].start,
                 (long long)size->entries);
cleanup:
    if (status != SPMM_OK)
        spmmi_slices_host_free(host);
    return status;
}

/* Returns where the columns, or the words of high bits, of a slice begin. size: entries per column or
 * word. */
static uint64_t place_of(const struct spmmi_slices_host *host, uint32_t slice, uint32_t size)
{
    return spmmi_slice_place(host->slices[slice].start, slice, size);
}

/* Returns the last slice whose columns or words begin at or before `at`. */
static uint32_t slice_at(const struct spmmi_slices_host *host, uint64_t at, uint32_t size)
{
    uint32_t low = 0, high = spmmi_slices_count(host->stream->ranks) - 1;
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (place_of(host, middle, size) <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Returns the number of entries of the longest row of a slice. */
static uint32_t width_of(const struct spmmi_slices_host *host, uint32_t slice)
{
    return (host->slices[slice + 1].start - host->slices[slice].start) / SPMMI_SLICE_ROWS;
}

/* Returns the column of an entry of a rank, relative to the column of its slice; 0 for padding. */
static uint32_t column_of(const struct spmmi_slices_host *host, uint32_t rank, uint32_t entry)
{
    const struct spmmi_stream_host *const stream = host->stream;
    if (rank >= stream->ranks || entry >= length_of(stream, rank))
        return 0;
    return (uint32_t)host->col_ind[spmmi_rank_start(stream, rank) + entry] -
           host->slices[rank / SPMMI_SLICE_ROWS].column;
}

/* Writes columns at .. end - 1 of a slice, relative to the column of the slice, and 0 past its last
 * column. */
static void fill_slice_columns(const struct spmmi_slices_host *host, uint32_t slice, uint32_t at,
                               uint32_t end, uint32_t *columns)
{
    const struct spmmi_stream_host *const stream = host->stream;
    const uint32_t run = spmmi_slice_run(host->index), most = spmmi_slice_columns_chunk(host->index);
    const uint32_t batch = spmmi_slice_batch(host->index), width = width_of(host, slice);
    const uint32_t whole = width / batch * batch / run, all = (width + run - 1) / run;
    const int32_t *row[SPMMI_SLICE_ROWS] = {NULL};
    uint32_t length[SPMMI_SLICE_ROWS] = {0}, chunk;
    for (uint32_t rank = slice * SPMMI_SLICE_ROWS, i = 0; rank + i < slice_end(stream, slice); i++) {
        row[i] = host->col_ind + spmmi_rank_start(stream, rank + i);
        length[i] = length_of(stream, rank + i);
    }
    for (uint32_t first = at / (SPMMI_SLICE_ROWS * most) * most; at < end && first < all; first += chunk) {
        chunk = first < whole ? most : 1;
        for (; at < (first + chunk) * SPMMI_SLICE_ROWS && at < end; at++) {
            const uint32_t i = (at - first * SPMMI_SLICE_ROWS) / chunk, e = (first + at % chunk) * run;
            *columns++ = e < length[i] ? (uint32_t)row[i][e] - host->slices[slice].column : 0;
        }
    }
    memset(columns, 0, (size_t)(end - at) * sizeof *columns);
}

void spmmi_slices_columns_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_slices_host *const host = source;
    const uint32_t run = spmmi_slice_run(host->index), slices = spmmi_slices_count(host->stream->ranks);
    const uint64_t all = place_of(host, slices, run), end = first + count < all ? first + count : all;
    uint32_t *const columns = to;
    uint64_t at = first;
    for (uint32_t slice = slice_at(host, first, run); at < end; slice++) {
        const uint64_t begin = place_of(host, slice, run), next = place_of(host, slice + 1, run);
        const uint64_t taken = next < end ? next : end;
        fill_slice_columns(host, slice, (uint32_t)(at - begin), (uint32_t)(taken - begin),
                           columns + (at - first));
        at = taken;
    }
    memset(columns + (at - first), 0, (size_t)(first + count - at) * sizeof *columns);
}

void spmmi_slices_narrow_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    uint16_t *const narrow = to;
    uint32_t columns[1024];
    for (uint64_t done = 0, some; done < count; done += some) {
        some = count - done < 1024 ? count - done : 1024;
        spmmi_slices_columns_fill(source, first + done, some, columns);
        for (uint64_t i = 0; i < some; i++)
            narrow[done + i] = (uint16_t)columns[i];
    }
}

/* Returns the word with the high bits of the columns of a rank, from `entry` on. */
static uint32_t high_of(const struct spmmi_slices_host *host, uint32_t rank, uint32_t entry)
{
    const uint32_t run = spmmi_slice_run(host->index), columns = spmmi_slice_batch(host->index) / run;
    uint32_t word = 0;
    for (uint32_t i = 0; i < columns; i++)
        word |= column_of(host, rank, entry + i * run) >> 16 << i * SPMMI_HIGH_BITS;
    return word;
}

void spmmi_slices_high_fill(const void *source, uint64_t first, uint64_t count, void *to)
{
    const struct spmmi_slices_host *const host = source;
    const uint32_t slices = spmmi_slices_count(host->stream->ranks), batch = spmmi_slice_batch(host->index);
    uint32_t slice = slice_at(host, first, batch);
    uint32_t *const words = to;
    for (uint64_t i = 0; i < count; i++) {
        while (slice + 1 < slices && place_of(host, slice + 1, batch) <= first + i)
            slice++;
        const uint32_t at = (uint32_t)(first + i - place_of(host, slice, batch));
        words[i] =
            high_of(host, slice * SPMMI_SLICE_ROWS + at % SPMMI_SLICE_ROWS, at / SPMMI_SLICE_ROWS * batch);
    }
}

void spmmi_slices_host_free(struct spmmi_slices_host *host)
{
    spmmi_free(host->slices);
    spmmi_free(host->padding);
    memset(host, 0, sizeof *host);
}

uint64_t spmmi_slices_host_bytes(uint32_t ranks)
{
    const struct spmmi_slices_host *const h = NULL;
    const uint64_t count = spmmi_slices_count(ranks);
    return (count + 1) * sizeof *h->slices + count * SPMMI_SLICE_ROWS * sizeof *h->padding;
}
