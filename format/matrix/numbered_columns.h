/* SPDX-License-Identifier: Apache-2.0 */
/* Columns numbered so that arrays over all of them stay small, where many columns are without nonzeros. */
#ifndef SPMMI_NUMBERED_COLUMNS_H
#define SPMMI_NUMBERED_COLUMNS_H

#include <spmm/common.h>

#include "format/base/many_columns.h" /* says where this pays */

struct spmmi_numbered_columns {
    int64_t cols;           /* numbers that there are */
    const int32_t *col_ind; /* the number of each nonzero's column */
    /* Ascending: column / align of each align numbers. NULL: columns are their own numbers. */
    int32_t *group;
    int32_t *own_col_ind;
};

/* Columns that are their own numbers. */
static inline struct spmmi_numbered_columns spmmi_columns_own(int64_t cols, const int32_t *col_ind)
{
    return (struct spmmi_numbered_columns){.cols = cols, .col_ind = col_ind};
}

/* Numbers them 0, 1, .. in ascending order, without the groups of align aligned columns that have no nonzero: columns
 * of one group stay together. 8 bytes a nonzero, O(nnz log nnz) time. Errors: MEMORY. Free with
 * spmmi_numbered_columns_free, also after an error. */
spmm_status_t spmmi_columns_number(struct spmmi_numbered_columns *columns, int64_t nnz, int32_t align,
                                   int threads);
void spmmi_numbered_columns_free(struct spmmi_numbered_columns *columns);

#endif
