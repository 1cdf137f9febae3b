/* SPDX-License-Identifier: Apache-2.0 */
/* Transpose of a CSR pattern by counting sort.
 * Rows are visited in order, so the columns in each row of the result ascend. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/plan.h"

void spmmi_transpose_row_ptr(int64_t cols, int64_t nnz, const int32_t *col_ind, int64_t *t_row_ptr)
{
    memset(t_row_ptr, 0, ((size_t)cols + 1) * sizeof *t_row_ptr);
    for (int64_t p = 0; p < nnz; p++)
        t_row_ptr[col_ind[p] + 1]++;
    for (int64_t j = 0; j < cols; j++)
        t_row_ptr[j + 1] += t_row_ptr[j];
}

spmm_status_t spmmi_transpose(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                              int64_t *t_row_ptr, int32_t *t_col_ind, int64_t *map)
{
    int64_t *next = spmmi_alloc((uint64_t)cols + 1, sizeof *next);
    if (next == NULL)
        return SPMM_ERR_MEMORY;
    spmmi_transpose_row_ptr(cols, row_ptr[rows], col_ind, t_row_ptr);
    memcpy(next, t_row_ptr, ((size_t)cols + 1) * sizeof *next);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t p = row_ptr[i]; p < row_ptr[i + 1]; p++) {
            const int64_t q = next[col_ind[p]]++;
            t_col_ind[q] = (int32_t)i;
            if (map != NULL)
                map[q] = p;
        }
    }
    spmmi_free(next);
    return SPMM_OK;
}
