/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_pattern.h. */
#include "row_block_pattern.h"

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "sorted_columns.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */

/* Renumber the columns that have nonzeros 0, 1, ... in ascending order. */
static spmm_status_t renumber(struct spmmi_row_block_pattern *p)
{
    const int32_t *col_ind = p->in->col_ind;
    p->own_column = spmmi_alloc((uint64_t)p->nnz, sizeof *p->own_column);
    p->own_col_ind = spmmi_alloc((uint64_t)p->nnz, sizeof *p->own_col_ind);
    if (p->own_column == NULL || p->own_col_ind == NULL)
        return SPMM_ERR_MEMORY;
    for (int64_t q = 0; q < p->nnz; q++)
        p->own_column[q] = col_ind[q];
    p->cols = spmmi_sort_unique(p->own_column, p->nnz);
#pragma omp parallel for schedule(static) num_threads(spmmi_team(p->threads))
    for (int64_t q = 0; q < p->nnz; q++)
        p->own_col_ind[q] = spmmi_sorted_position(p->own_column, p->cols, col_ind[q]);
    p->col_ind = p->own_col_ind;
    p->column = p->own_column;
    return SPMM_OK;
}

spmm_status_t spmmi_row_block_pattern_open(const struct spmmi_row_block_input *in, bool is_set,
                                           struct spmmi_row_block_pattern *p)
{
    *p = (struct spmmi_row_block_pattern){
        .in = in, .nnz = in->unit_ptr[in->units], .cols = in->cols, .col_ind = in->col_ind};
    p->threads = p->nnz < NONZEROS_PARALLEL ? 1 : in->threads;
    spmm_status_t status = SPMM_OK;
    const int64_t columns_a_number = is_set ? 32 : 1;
    if (p->cols / columns_a_number > 4 * p->nnz + 65536)
        status = renumber(p);
    /* Threads that may have arrays or sets of all columns: together not much larger than the matrix. */
    const int64_t most = p->cols == 0 ? 1 : 1 + 4 * p->nnz * columns_a_number / p->cols;
    p->threads = most < p->threads ? (int)most : p->threads;
    return status;
}

void spmmi_row_block_pattern_close(struct spmmi_row_block_pattern *p)
{
    spmmi_free(p->own_col_ind);
    spmmi_free(p->own_column);
}
