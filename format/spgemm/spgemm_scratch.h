/* SPDX-License-Identifier: Apache-2.0 */
/* What threads need to find rows of a product. */
#ifndef SPMMI_SPGEMM_SCRATCH_H
#define SPMMI_SPGEMM_SCRATCH_H

#include "format/matrix/column_set.h"

#define SPMMI_BITMAPS 4
#define SPMMI_LIST_MORE 8 /* elements behind a list */

/* What a thread needs to find rows of C. */
struct spmmi_spgemm_scratch {
    uint32_t *
        marks; /* of each column of C; base or more where the present row has it; of a count without lists, the
                      * numbers of rows, and base is not used */
    uint32_t base;
    int32_t *list;   /* as many as the longest row has, and SPMMI_LIST_MORE */
    uint64_t *words; /* SPMMI_BITMAPS of all columns, word by word; 0 between two rows */
    struct spmmi_column_set set;
};

#define SPMMI_NO_LISTS INT64_C(-1) /* in place of the longest row: without lists and sets */

/* One of each thread. NULL: out of memory. longest: the most entries of a row of C. */
struct spmmi_spgemm_scratch *spmmi_spgemm_scratch_new(int64_t cols, int threads, int64_t longest);
/* No column is marked. */
void spmmi_spgemm_scratch_clear(struct spmmi_spgemm_scratch *scratch, int64_t cols);
void spmmi_spgemm_scratch_free(struct spmmi_spgemm_scratch *scratch, int threads);
/* Most bytes of it. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads, int64_t longest);

#endif
