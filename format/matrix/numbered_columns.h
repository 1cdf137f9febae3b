/* SPDX-License-Identifier: Apache-2.0 */
/* Renumbering of columns for matrices with many empty columns, so that arrays over all columns stay small. */
#ifndef SPMMI_NUMBERED_COLUMNS_H
#define SPMMI_NUMBERED_COLUMNS_H

#include <spmm/common.h>

#include "format/base/many_columns.h" /* tells when renumbering pays */

struct spmmi_numbered_columns {
    int64_t cols;           /* number of column numbers */
    const int32_t *col_ind; /* the column number of each nonzero */
    /* Ascending: group[i] is column / align of the numbers i * align to i * align + align - 1.
     * NULL: not renumbered. */
    int32_t *group;
    int32_t *own_col_ind; /* owned memory of col_ind, or NULL */
};

/* Returns columns that are not renumbered. */
static inline struct spmmi_numbered_columns spmmi_columns_own(int64_t cols, const int32_t *col_ind)
{
    return (struct spmmi_numbered_columns){.cols = cols, .col_ind = col_ind};
}

/* Renumbers the columns 0, 1, .. in ascending order and skips each aligned group of align columns without a
 * nonzero. The columns of a group stay together. Takes 8 bytes per nonzero and O(nnz log nnz) time. Errors:
 * MEMORY. Free with spmmi_numbered_columns_free, also after an error. */
spmm_status_t spmmi_columns_number(struct spmmi_numbered_columns *columns, int64_t nnz, int32_t align,
                                   int threads);
void spmmi_numbered_columns_free(struct spmmi_numbered_columns *columns);

#endif
