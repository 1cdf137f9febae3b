/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product on a GPU that look up where products belong, and the tables that they read, which lie
 * on the device: nothing for each product, 4 bytes for a piece of a row. Each function returns a cudaError_t and
 * enqueues.
 *
 * A range is a row of C, or up to 512 of its entries. Its columns, less the first of them, are words of 2 bytes, or of
 * 4 where they are 65,536 or more apart; ranges of equal words share them. A group of lanes puts them into a table in
 * shared memory and looks up the column of each product. A row that the plan cuts is taken piece by piece by a thread
 * block, whose warps have a piece each: no partial sums leave it. */
#ifndef SPMMI_SPGEMM_COLUMNS_H
#define SPMMI_SPGEMM_COLUMNS_H

#include <stdint.h>

#include "spgemm_launch.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_SPGEMM_RANGE_ENTRIES 512 /* most of a range */

/* Classes of ranges: number, most entries, lanes of a group. Lists of the left factor that are longer than that have a
 * class of more lanes, while there is one, as a round takes an entry of theirs a lane. A table has two slots an entry;
 * so a group clears and stores it in 4 to 32 steps. None of this was measured. */
#define SPMMI_SPGEMM_RANGE_CLASS_TABLE(X) \
    X(0, 8, 4) X(1, 32, 8) X(2, 128, 16) X(3, 256, 32) X(4, SPMMI_SPGEMM_RANGE_ENTRIES, 32)
#define SPMMI_SPGEMM_RANGE_CLASSES 5

/* Of ranges of rows that are cut, by the entries of their rows; those above the last one have that: number, most
 * entries of a range, warps. The warps are as many, of powers of two, as have sums of f64 in 48 KiB. */
#define SPMMI_SPGEMM_CUT_CLASS_TABLE(X) X(5, 128, 16) X(6, SPMMI_SPGEMM_RANGE_ENTRIES, 4)
#define SPMMI_SPGEMM_CUT_CLASSES 2
#define SPMMI_SPGEMM_SPANS \
    (SPMMI_SPGEMM_RANGE_CLASSES + SPMMI_SPGEMM_CUT_CLASSES) /* those of cut rows last */

struct spmmi_spgemm_range {
    uint32_t first;   /* entry of the left factor */
    uint32_t out;     /* its first entry of C */
    uint32_t columns; /* where its words begin, in units of 4 bytes */
    int32_t base;     /* its first column */
    uint32_t counts;  /* see spmmi_spgemm_range_pack */
};

struct spmmi_spgemm_range_counts {
    uint32_t entries, length; /* length: entries of the left factor */
    uint32_t is_wide;         /* words of 4 bytes */
    uint32_t is_part;         /* only a part of each row of the right factor belongs to it */
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

/* A range of a row that the plan cuts, or that is longer than SPMMI_SPGEMM_RANGE_LENGTH_MAX; its own length is 0. Piece
 * p has entries of the left factor up to ends[piece + p], from where the one before it ends, or from range.first on. */
struct spmmi_spgemm_cut_range {
    struct spmmi_spgemm_range range;
    uint32_t piece, pieces;
};

/* Ranges of one class lie behind each other. */
struct spmmi_spgemm_span {
    uint32_t first, count;
};

struct spmmi_spgemm_column_tables {
    const struct spmmi_spgemm_range *ranges;
    const struct spmmi_spgemm_cut_range *cuts;
    const uint32_t *ends;  /* of pieces */
    const uint32_t *words; /* of ranges */
    const int32_t *left_columns, *right_columns;
    const uint32_t *right_row_ptr;
};

/* The numeric phase of the ranges of a class, by its number. is_dependent: as of spmmi_spgemm_masks_cuda. */
int spmmi_spgemm_span_cuda(const struct spmmi_spgemm_column_tables *tables, int range_class,
                           struct spmmi_spgemm_span span, const struct spmmi_spgemm_operands *operands,
                           int is_dependent, void *stream);

#ifdef __cplusplus
}
#endif
#endif
