/* SPDX-License-Identifier: Apache-2.0 */
/* See numbered_columns.h. */
#include "numbered_columns.h"

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "sorted_columns.h"

spmm_status_t spmmi_columns_number(struct spmmi_numbered_columns *columns, int64_t nnz, int32_t align,
                                   int threads)
{
    const int32_t *const col_ind = columns->col_ind;
    int32_t *const group = columns->group = spmmi_alloc((uint64_t)nnz, sizeof *group);
    int32_t *const numbers = columns->own_col_ind = spmmi_alloc((uint64_t)nnz, sizeof *numbers);
    if (group == NULL || numbers == NULL)
        return SPMM_ERR_MEMORY;
    for (int64_t q = 0; q < nnz; q++)
        group[q] = col_ind[q] / align;
    const int64_t groups = spmmi_sort_unique(group, nnz);
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads))
    for (int64_t q = 0; q < nnz; q++)
        numbers[q] = spmmi_sorted_position(group, groups, col_ind[q] / align) * align + col_ind[q] % align;
    columns->cols = groups * align;
    columns->col_ind = numbers;
    return SPMM_OK;
}

void spmmi_numbered_columns_free(struct spmmi_numbered_columns *columns)
{
    spmmi_free(columns->own_col_ind);
    spmmi_free(columns->group);
    columns->own_col_ind = columns->group = NULL;
}
