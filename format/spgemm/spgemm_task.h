/* SPDX-License-Identifier: Apache-2.0 */
/* One product of two patterns. */
#ifndef SPMMI_SPGEMM_TASK_H
#define SPMMI_SPGEMM_TASK_H

#include "spgemm.h"

/* C = left * right. is_lower: entries (i, j) with j <= i alone. */
struct spmmi_spgemm_task {
    struct spmmi_csr_pattern left, right;
    int is_lower;
};

/* How many columns of row k of the right factor row i of C takes. */
static inline int64_t spmmi_spgemm_taken(const struct spmmi_spgemm_task *t, int64_t i, int64_t k)
{
    const int32_t *columns = t->right.col_ind + t->right.row_ptr[k];
    int64_t count = t->right.row_ptr[k + 1] - t->right.row_ptr[k], low = 0;
    while (t->is_lower && low < count) { /* low columns are at most i, those from count on are above */
        const int64_t middle = low + (count - low) / 2;
        if (columns[middle] <= i)
            low = middle + 1;
        else
            count = middle;
    }
    return count;
}

#endif
