/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of rows: a row split of one column whose rows are about as long as their neighbours.
 *
 * A row split by lanes (rows_lanes.cuh) reads each row by itself: a warp that has several of them loads from as many
 * addresses. Here the nonzeros lie in slices of 32 rows (sliced ELL): the first of each row, then the second of each,
 * and so on, so that neighbouring lanes have neighbouring rows and load neighbouring words. Rows that are shorter than
 * the longest of their slice are padded. */
#ifndef SPMMI_ROWS_SLICES_SHAPE_H
#define SPMMI_ROWS_SLICES_SHAPE_H

#include "format/matrix/row_slices.h"
#include "rows_shape.h"

#define SPMMI_SLICE_WARPS_MAX 8u  /* that share a slice, and leave their sums in shared memory */
#define SPMMI_SLICE_LACKS_MAX 255 /* entries that a row lacks to the longest of its slice */
/* Most entries for a hundred nonzeros: of any rows, of those that lack less than a batch, and where a caller names the
 * kernel. Padding takes memory, and turns in which some lanes do nothing, but is not read. */
#define SPMMI_SLICES_SHARE 125u
#define SPMMI_SLICES_SHARE_SHORT 200u
#define SPMMI_SLICES_SHARE_NAMED 400u

/* Where a slice begins. */
struct spmmi_slice {
    uint32_t start;  /* its first entry; slices end where the next begins */
    uint32_t column; /* that its column indices are counted from */
};

static inline uint32_t spmmi_slices_count(uint32_t ranks)
{
    return (ranks + SPMMI_SLICE_ROWS - 1) / SPMMI_SLICE_ROWS;
}

/* Are rows sliced that have so many entries then, and lack so many at most? */
static inline int spmmi_slices_fit(int64_t nnz, int64_t entries, int64_t lacks, int is_named)
{
    const int64_t share = is_named                             ? SPMMI_SLICES_SHARE_NAMED
                          : lacks < (int64_t)SPMMI_SLICE_BATCH ? SPMMI_SLICES_SHARE_SHORT
                                                               : SPMMI_SLICES_SHARE;
    return entries > 0 && entries <= INT32_MAX - 64 && lacks <= SPMMI_SLICE_LACKS_MAX &&
           entries * 100 <= nnz * share;
}

/* Words of high bits of all slices; those between slices are 0. */
static inline uint64_t spmmi_slices_high_words(const struct spmmi_row_slices *all)
{
    return ((uint64_t)all->entries / SPMMI_SLICE_ROWS / SPMMI_SLICE_BATCH +
            spmmi_slices_count((uint32_t)all->rows)) *
           SPMMI_SLICE_ROWS;
}

/* The columns of a slice, counted from its first, take 16 bits, or 20 of which the upper 4 are in a word for each batch
 * of a row, or 32. Short rows would have more words than they save. */
enum spmmi_slice_index { SPMMI_INDEX_16, SPMMI_INDEX_20, SPMMI_INDEX_32 };
#define SPMMI_HIGH_BITS 4u
static inline enum spmmi_slice_index spmmi_slices_index(const struct spmmi_row_slices *all)
{
    if (all->span <= SPMMI_NARROW_COLUMNS)
        return SPMMI_INDEX_16;
    return all->span <= SPMMI_NARROW_COLUMNS << SPMMI_HIGH_BITS &&
                   2 * spmmi_slices_high_words(all) < (uint64_t)all->entries
               ? SPMMI_INDEX_20
               : SPMMI_INDEX_32;
}

/* Bytes of all indices that a product reads. */
static inline double spmmi_slices_index_bytes(const struct spmmi_row_slices *all)
{
    const enum spmmi_slice_index index = spmmi_slices_index(all);
    return (double)all->entries * (index == SPMMI_INDEX_32 ? 4 : 2) +
           (index == SPMMI_INDEX_20 ? (double)all->batches * SPMMI_SLICE_ROWS * 4 : 0);
}

/* The first word of high bits of the slice that begins at an entry. Each slice may have begun another word for each of
 * its rows: so many words are enough for all before it. */
SPMMI_HOST_DEVICE static inline uint32_t spmmi_slice_high(uint32_t start, uint32_t slice)
{
    return (start / SPMMI_SLICE_ROWS / SPMMI_SLICE_BATCH + slice) * SPMMI_SLICE_ROWS;
}

/* Thread blocks a multiprocessor, of sums of so many bytes. */
#define SPMMI_SLICED_BLOCKS_PER_SM(sum_bytes) ((sum_bytes) == 4 ? 5u : 4u)

/* Warps that share a slice: as many as give a multiprocessor about 22, if a row has 6 entries more than half a batch
 * for each of those before. Measured on an H100 over 14 matrices, f32 and f64: within 7 % of the best. */
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
