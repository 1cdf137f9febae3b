/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that the layout is built with. A thread has a word for each of them, so they are those of op(A) only
 * where op(A) has few columns for its nonzeros; otherwise those that hold nonzeros are numbered without gaps. Either
 * way the memory is linear in the nonzeros, whatever the number of columns that a plan claims. */
#ifndef SPMMI_TILED_COLUMNS_PACK_H
#define SPMMI_TILED_COLUMNS_PACK_H

#include <stdint.h>

#include "format/base/diag.h"

struct spmmi_tiled_columns {
    int64_t count;
    const int32_t *col_ind; /* of each nonzero, in the same order as those of op(A) */
    uint32_t *column_of;    /* owned: the column of op(A) of each; NULL: it is the same */
    uint32_t *ranks;        /* owned: what col_ind points to; NULL: the pattern's own */
};

/* col_ind: nnz entries below cols, at most 2^32 - 1. Errors: MEMORY. Free with spmmi_tiled_columns_free, also after
 * errors. */
spmm_status_t spmmi_tiled_columns_make(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                       struct spmmi_tiled_columns *columns, spmm_diag_t *diag);
void spmmi_tiled_columns_free(struct spmmi_tiled_columns *columns);

/* Ascending; spare is as long as the list, whose entries are within [low, high]. */
void spmmi_tiled_columns_sort(uint32_t *list, uint32_t *spare, uint32_t count, uint32_t low, uint32_t high);

#endif
