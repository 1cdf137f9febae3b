/* SPDX-License-Identifier: Apache-2.0 */
/* The column numbers with which the layout is built. Each thread has a word per column. If op(A) has few
 * columns for its nonzeros, its own columns are used. Otherwise the columns with nonzeros are numbered
 * without gaps. So the memory is linear in the nonzeros for any number of columns that a plan claims. */
#ifndef SPMMI_TILED_COLUMNS_PACK_H
#define SPMMI_TILED_COLUMNS_PACK_H

#include <stdint.h>

#include "format/base/diag.h"

struct spmmi_tiled_columns {
    int64_t count;
    const int32_t *col_ind; /* column of each nonzero, in the order of op(A) */
    uint32_t *column_of;    /* owned: column of op(A) for each column; NULL: identity */
    uint32_t *ranks;        /* owned: the array of col_ind; NULL: col_ind is the pattern's own */
};

/* Makes the column numbers. col_ind: nnz entries below cols, at most 2^32 - 1 entries. Errors: MEMORY. Free
 * with spmmi_tiled_columns_free, also after errors. */
spmm_status_t spmmi_tiled_columns_make(int64_t cols, int64_t nnz, const int32_t *col_ind,
                                       struct spmmi_tiled_columns *columns, spmm_diag_t *diag);
void spmmi_tiled_columns_free(struct spmmi_tiled_columns *columns);

/* Sorts a list ascending. All entries are within [low, high]; spare has the length of the list. */
void spmmi_tiled_columns_sort(uint32_t *list, uint32_t *spare, uint32_t count, uint32_t low, uint32_t high);

#endif
