/* SPDX-License-Identifier: Apache-2.0 */
/* One product of two sparse patterns. */
#ifndef SPMMI_SPGEMM_TASK_H
#define SPMMI_SPGEMM_TASK_H

#include "spgemm.h"

/* The product C = left * right. is_lower: only entries (i, j) with j <= i. */
struct spmmi_spgemm_task {
    struct spmmi_csr_pattern left, right;
    int is_lower;
};

/* Returns how many columns of row k of the right factor contribute to row i of C: all, or with is_lower the
 * leading ones that are at most i. */
static inline int64_t spmmi_spgemm_taken(const struct spmmi_spgemm_task *t, int64_t i, int64_t k)
{
    const int32_t *columns = t->right.col_ind + t->right.row_ptr[k];
    int64_t count = t->right.row_ptr[k + 1] - t->right.row_ptr[k], low = 0;
    /* Columns before low are at most i, columns from count on are above i. */
    while (t->is_lower && low < count) {
        const int64_t middle = low + (count - low) / 2;
        if (columns[middle] <= i)
            low = middle + 1;
        else
            count = middle;
    }
    return count;
}

#endif
