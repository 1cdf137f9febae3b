/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product on a GPU that look up the position of each product, and the tables in
 * device memory that they read. They store nothing per product, and 4 bytes per piece of a row. Each function
 * enqueues on the stream and returns a cudaError_t.
 *
 * A range is a row of C, or up to 512 entries of one. Its columns, relative to the first one, are stored in 2
 * bytes each, or in 4 if they span 65,536 or more; ranges with equal words share them. A group of lanes
 * inserts them into a table in shared memory and looks up the column of each product. A row that the plan
 * cuts is computed piece by piece by a thread block, one piece per warp, so that partial sums stay in the
 * block. */
#ifndef SPMMI_SPGEMM_COLUMNS_H
#define SPMMI_SPGEMM_COLUMNS_H

#include <stdint.h>

#include "spgemm_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_SPGEMM_RANGE_ENTRIES 512 /* maximum entries of a range */

/* Classes of ranges: number, maximum entries, lanes of a group. A range whose list of the left factor is
 * longer than the maximum entries moves to a class of more lanes, if there is one, because a round processes
 * one list entry per lane. A table has two slots per entry, so a group clears and stores it in 4 to 32 steps.
 * None of this was measured. */
#define SPMMI_SPGEMM_RANGE_CLASS_TABLE(X) \
    X(0, 8, 4) X(1, 32, 8) X(2, 128, 16) X(3, 256, 32) X(4, SPMMI_SPGEMM_RANGE_ENTRIES, 32)
#define SPMMI_SPGEMM_RANGE_CLASSES 5

/* Classes of ranges of rows that are cut: number, maximum entries of the row (the last class also has all
 * larger rows), warps. The number of warps is the largest power of two whose sums in f64 fit in 48 KiB. */
#define SPMMI_SPGEMM_CUT_CLASS_TABLE(X) X(5, 128, 16) X(6, SPMMI_SPGEMM_RANGE_ENTRIES, 4)
#define SPMMI_SPGEMM_CUT_CLASSES 2
#define SPMMI_SPGEMM_SPANS \
    (SPMMI_SPGEMM_RANGE_CLASSES + SPMMI_SPGEMM_CUT_CLASSES) /* classes of cut rows come last */

struct spmmi_spgemm_range {
    uint32_t first;   /* first entry of the left factor */
    uint32_t out;     /* first entry of C */
    uint32_t columns; /* where its words begin, in units of 4 bytes */
    int32_t base;     /* first column */
    uint32_t counts;  /* see spmmi_spgemm_range_pack */
};

struct spmmi_spgemm_range_counts {
    uint32_t entries, length; /* length: number of entries of the left factor */
    uint32_t is_wide;         /* words of 4 bytes: one column each */
    uint32_t is_part;         /* the range has only a part of each row of the right factor */
};

#define SPMMI_SPGEMM_RANGE_LENGTH_MAX ((1u << 21) - 1)

SPMMI_SPGEMM_BOTH static inline uint32_t spmmi_spgemm_range_pack(struct spmmi_spgemm_range_counts c)
{
    return (c.entries - 1) | c.is_wide << 9 | c.is_part << 10 | c.length << 11;
}

SPMMI_SPGEMM_BOTH static inline struct spmmi_spgemm_range_counts spmmi_spgemm_range_unpack(uint32_t counts)
{
    const struct spmmi_spgemm_range_counts c = {(counts & 511) + 1, counts >> 11, counts >> 9 & 1,
                                                counts >> 10 & 1};
    return c;
}

/* A range of a row that the plan cuts, or whose list is longer than SPMMI_SPGEMM_RANGE_LENGTH_MAX;
 * range.counts then has length 0. Piece p ends with entry ends[piece + p] of the left factor (exclusive); it
 * begins where piece p - 1 ends, or at range.first. */
struct spmmi_spgemm_cut_range {
    struct spmmi_spgemm_range range;
    uint32_t piece, pieces;
};

/* The ranges of one class, which are stored one after the other. */
struct spmmi_spgemm_span {
    uint32_t first, count;
};

struct spmmi_spgemm_column_tables {
    const struct spmmi_spgemm_range *ranges;
    const struct spmmi_spgemm_cut_range *cuts;
    const uint32_t *ends;  /* of all pieces */
    const uint32_t *words; /* of all ranges */
    const int32_t *left_columns, *right_columns;
    const uint32_t *right_row_ptr;
};

/* Runs the numeric phase for the ranges of one class. is_dependent: as for spmmi_spgemm_masks_cuda. */
int spmmi_spgemm_span_cuda(const struct spmmi_spgemm_column_tables *tables, int range_class,
                           struct spmmi_spgemm_span span, const struct spmmi_spgemm_operands *operands,
                           int is_dependent, void *stream);

#ifdef __cplusplus
}
#endif
#endif
