/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that each thread needs to find rows of a product. */
#ifndef SPMMI_SPGEMM_SCRATCH_H
#define SPMMI_SPGEMM_SCRATCH_H

#include "format/matrix/column_set.h"

#define SPMMI_BITMAPS 4
#define SPMMI_LIST_MORE 8 /* padding after a list, in elements */

/* Buffers of one thread. */
struct spmmi_spgemm_scratch {
    uint32_t *
        marks; /* One per column of C. While columns are listed, a mark is not below `base` if the current row
                * has the column. Functions that only count (SPMMI_NO_LISTS) derive marks from row numbers
                * instead and do not use `base`. */
    uint32_t base;
    int32_t *list;   /* room for the longest row and SPMMI_LIST_MORE elements */
    uint64_t *words; /* SPMMI_BITMAPS bitmaps over all columns, interleaved; all 0 between rows */
    struct spmmi_column_set set;
};

#define SPMMI_NO_LISTS INT64_C(-1) /* passed as the longest row: no lists, bitmaps and sets are allocated */

/* Returns one struct per thread, or NULL if memory is exhausted. longest: maximum entries of a row of C, or
 * SPMMI_NO_LISTS. */
struct spmmi_spgemm_scratch *spmmi_spgemm_scratch_new(int64_t cols, int threads, int64_t longest);
/* Resets marks and base, so that no column is marked. */
void spmmi_spgemm_scratch_clear(struct spmmi_spgemm_scratch *scratch, int64_t cols);
void spmmi_spgemm_scratch_free(struct spmmi_spgemm_scratch *scratch, int threads);
/* Returns an upper bound of the bytes that spmmi_spgemm_scratch_new allocates. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads, int64_t longest);

#endif
