/* SPDX-License-Identifier: Apache-2.0 */
/* See row_block_pattern.h. */
#include "row_block_pattern.h"

#define NONZEROS_PARALLEL 100000 /* with fewer nonzeros, one thread is faster */

spmm_status_t spmmi_row_block_pattern_open(const struct spmmi_row_block_input *in, bool is_set,
                                           struct spmmi_row_block_pattern *p)
{
    *p = (struct spmmi_row_block_pattern){
        .in = in, .nnz = in->unit_ptr[in->units], .numbered = spmmi_columns_own(in->cols, in->col_ind)};
    p->threads = p->nnz < NONZEROS_PARALLEL ? 1 : in->threads;
    spmm_status_t status = SPMM_OK;
    const int64_t columns_a_number = is_set ? 32 : 1;
    if (spmmi_columns_are_many(in->cols / columns_a_number, p->nnz))
        status = spmmi_columns_number(&p->numbered, p->nnz, 1, p->threads);
    p->cols = p->numbered.cols;
    p->col_ind = p->numbered.col_ind;
    p->column = p->numbered.group;
    /* Limits the threads so that their arrays or sets of all
     * columns together are not much larger than the matrix. */
    const int64_t most = p->cols == 0 ? 1 : 1 + 4 * p->nnz * columns_a_number / p->cols;
    p->threads = most < p->threads ? (int)most : p->threads;
    return status;
}

void spmmi_row_block_pattern_close(struct spmmi_row_block_pattern *p)
{
    spmmi_numbered_columns_free(&p->numbered);
}
