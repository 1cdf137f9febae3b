/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix in memory. Readers and generators create it, and the inspector analyses it. */
#ifndef SPMMI_MATRIX_H
#define SPMMI_MATRIX_H

#include <spmm/inspector.h>

struct spmm_matrix {
    int64_t rows, cols, nnz;
    int64_t *row_ptr; /* rows + 1 values, owned */
    int32_t *col_ind; /* nnz values, ascending and unique in each row, owned */
    double *values;   /* nnz values, owned; NULL for a pattern, whose values count as 1 */
    spmm_matrix_info_t info;
};

#endif
