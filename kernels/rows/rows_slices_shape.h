/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows: a layout for a row split of one column whose rows are about as long as their neighbours.
 *
 * A row split by lanes (rows_lanes.cuh) reads each row separately: a warp that has several rows loads from
 * several addresses. Here the nonzeros are stored in slices of 32 rows (sliced ELL): a chunk of each row,
 * then the next chunk of each row, and so on. Neighbouring lanes have neighbouring rows and load neighbouring
 * words. Rows that are shorter than the longest row of their slice are padded. */
#ifndef SPMMI_ROWS_SLICES_SHAPE_H
#define SPMMI_ROWS_SLICES_SHAPE_H

#include "format/matrix/row_slices.h"
#include "rows_shape.h"

#define SPMMI_SLICE_WARPS_MAX 8u    /* most warps that share a slice; they add their sums in shared memory */
#define SPMMI_SLICE_PADDING_MAX 255 /* most padding of a row, so that a byte can hold it */
/* Most entries per hundred nonzeros: for any rows, for rows with less padding than a batch, and for a kernel
 * that a caller names. Padding takes memory, and iterations in which some lanes do nothing. Only the padding
 * of last words is read. */
#define SPMMI_SLICES_SHARE 125u
#define SPMMI_SLICES_SHARE_SHORT 200u
#define SPMMI_SLICES_SHARE_NAMED 400u

/* The start of a slice. */
struct spmmi_slice {
    uint32_t start;  /* its first entry; the slice ends where the next one begins */
    uint32_t column; /* its column indices are relative to this column */
};

static inline uint32_t spmmi_slices_count(uint32_t ranks)
{
    return (ranks + SPMMI_SLICE_ROWS - 1) / SPMMI_SLICE_ROWS;
}

/* Returns true if rows are sliced. entries: the entries that slices would have; padding_max: the
 * most padding of a row. */
static inline int spmmi_slices_fit(int64_t nnz, int64_t entries, int64_t padding_max, int is_named)
{
    const int64_t share = is_named                                   ? SPMMI_SLICES_SHARE_NAMED
                          : padding_max < (int64_t)SPMMI_SLICE_BATCH ? SPMMI_SLICES_SHARE_SHORT
                                                                     : SPMMI_SLICES_SHARE;
    return entries > 0 && entries <= INT32_MAX - 64 && padding_max <= SPMMI_SLICE_PADDING_MAX &&
           entries * 100 <= nnz * share;
}

/* How the columns of a slice are stored, relative to its first column: in 16 bits; in 20 bits, of which the
 * upper 4 are in one word per batch of a row; or in 32 bits. With RUNS, only the first column of each run of
 * adjacent columns is stored. */
enum spmmi_slice_index {
    SPMMI_INDEX_16,
    SPMMI_INDEX_20,
    SPMMI_INDEX_32,
    SPMMI_INDEX_RUNS_16,
    SPMMI_INDEX_RUNS_20
};
#define SPMMI_HIGH_BITS 4u
#ifdef __cplusplus
#define SPMMI_CONSTANT_INLINE constexpr
#else
#define SPMMI_CONSTANT_INLINE inline
#endif
#define SPMMI_SLICE_RUNS_LEAST 6 /* least mean entries of a row: shorter rows save little. Not measured */

SPMMI_HOST_DEVICE static SPMMI_CONSTANT_INLINE uint32_t spmmi_slice_run(enum spmmi_slice_index index)
{
    return index == SPMMI_INDEX_RUNS_16 || index == SPMMI_INDEX_RUNS_20 ? SPMMI_SLICE_RUN : 1;
}
SPMMI_HOST_DEVICE static SPMMI_CONSTANT_INLINE int spmmi_slice_has_high(enum spmmi_slice_index index)
{
    return index == SPMMI_INDEX_20 || index == SPMMI_INDEX_RUNS_20;
}

/* Returns the number of entries of a batch: with runs, four runs. */
SPMMI_HOST_DEVICE static SPMMI_CONSTANT_INLINE uint32_t spmmi_slice_batch(enum spmmi_slice_index index)
{
    return spmmi_slice_run(index) > 1 ? 4 * SPMMI_SLICE_RUN : SPMMI_SLICE_BATCH;
}

/* Returns how many values, or columns, of a row are adjacent in whole batches, so that a lane loads them as
 * one word of up to 16 bytes. A batch has whole words. The rest of the longest row of a slice is stored one
 * by one, because padding to whole words would be read. */
SPMMI_HOST_DEVICE static SPMMI_CONSTANT_INLINE uint32_t spmmi_slice_chunk(enum spmmi_slice_index index,
                                                                          uint32_t bytes)
{
    return spmmi_slice_run(index) > 1 && bytes < 4 ? 4 : 16 / bytes;
}
SPMMI_HOST_DEVICE static SPMMI_CONSTANT_INLINE uint32_t
spmmi_slice_columns_chunk(enum spmmi_slice_index index)
{
    return spmmi_slice_chunk(index, index == SPMMI_INDEX_32 ? 4 : 2);
}

/* Returns the position of value or column e of a lane, relative to the start of its slice. whole: number of
 * values or columns in whole batches. Chunk i of all lanes is stored before chunk i + 1. */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_slice_at(uint32_t whole, uint32_t e, uint32_t lane,
                                                        uint32_t chunk)
{
    const uint32_t side = e < whole ? chunk : 1;
    return (e - e % side) * SPMMI_SLICE_ROWS + lane * side + e % side;
}

/* Returns where the columns of runs, or the words of high bits, of a slice begin. start: its first entry;
 * size: entries per column or word. The last one of a row may have fewer entries, so each slice before
 * reserves one more per row. */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_slice_place(uint32_t start, uint32_t slice, uint32_t size)
{
    return size > 1 ? (start / SPMMI_SLICE_ROWS / size + slice) * SPMMI_SLICE_ROWS : start;
}

/* Return the number of elements, of words of high bits, and of columns, in all slices. Elements between
 * slices are 0. */
static inline uint64_t spmmi_slices_place_end(const struct spmmi_row_slices *all, uint32_t size)
{
    return spmmi_slice_place((uint32_t)all->entries, spmmi_slices_count((uint32_t)all->rows), size);
}
static inline uint64_t spmmi_slices_high_words(const struct spmmi_row_slices *all,
                                               enum spmmi_slice_index index)
{
    return spmmi_slices_place_end(all, spmmi_slice_batch(index));
}
static inline uint64_t spmmi_slices_columns(const struct spmmi_row_slices *all, enum spmmi_slice_index index)
{
    return spmmi_slices_place_end(all, spmmi_slice_run(index));
}

/* Returns how columns are stored. Short rows would have more words of high bits than they save. Sums of 8
 * bytes take registers that batches of runs need, so they have no runs (not measured). */
static inline enum spmmi_slice_index spmmi_slices_index(const struct spmmi_row_slices *all,
                                                        uint32_t value_bytes)
{
    const int has_runs =
        all->breaks == 0 && all->entries >= SPMMI_SLICE_RUNS_LEAST * all->rows && value_bytes <= 4;
    if (all->span <= SPMMI_NARROW_COLUMNS)
        return has_runs ? SPMMI_INDEX_RUNS_16 : SPMMI_INDEX_16;
    if (all->span > SPMMI_NARROW_COLUMNS << SPMMI_HIGH_BITS ||
        2 * spmmi_slices_high_words(all, SPMMI_INDEX_20) >= (uint64_t)all->entries)
        return SPMMI_INDEX_32;
    return has_runs ? SPMMI_INDEX_RUNS_20 : SPMMI_INDEX_20;
}

/* Returns the bytes of all indices that a product reads. */
static inline double spmmi_slices_index_bytes(const struct spmmi_row_slices *all, uint32_t value_bytes)
{
    const enum spmmi_slice_index index = spmmi_slices_index(all, value_bytes);
    const double high = (double)all->batches * SPMMI_SLICE_BATCH / spmmi_slice_batch(index);
    return (double)all->entries * (index == SPMMI_INDEX_32 ? 4 : 2) / spmmi_slice_run(index) +
           (spmmi_slice_has_high(index) ? high * SPMMI_SLICE_ROWS * 4 : 0);
}

/* Thread blocks per multiprocessor that the registers allow. sum_bytes: bytes per sum; run: columns per run.
 * Batches of runs are longer and allow one block less; five blocks were not measured. */
#define SPMMI_SLICED_BLOCKS_PER_SM(sum_bytes, run) ((sum_bytes) == 4 && (run) == 1 ? 5u : 4u)

/* Returns how many warps share a slice. The number is doubled until a multiprocessor has about 22 warps, but
 * only while the mean row has over 6 entries more than half a batch per warp. Batches of runs, which are
 * longer, count the same. Measured on an H100 over 14 matrices, f32 and f64, within 7 % of the best, before
 * lanes loaded whole words. Not measured since, nor for f16 or runs. */
#define SPMMI_SLICED_WARPS_PER_SM 22u
#define SPMMI_SLICED_ENTRIES_MORE 6u
static inline uint32_t spmmi_slices_warps(uint32_t entries, uint32_t ranks, uint32_t sm_count)
{
    const uint64_t full = (uint64_t)sm_count * SPMMI_SLICED_WARPS_PER_SM, slices = spmmi_slices_count(ranks);
    uint32_t warps = 1;
    while (warps < SPMMI_SLICE_WARPS_MAX && slices * warps < full &&
           entries > (uint64_t)ranks * (SPMMI_SLICE_BATCH / 2 * warps + SPMMI_SLICED_ENTRIES_MORE))
        warps *= 2;
    return warps;
}

#endif
