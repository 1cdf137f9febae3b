/* SPDX-License-Identifier: Apache-2.0 */
/* op(A) in borrowed CSR arrays with metrics of its rows: the input of every analysis. */
#ifndef SPMMI_PATTERN_H
#define SPMMI_PATTERN_H

#include <spmm/common.h>

struct spmmi_pattern {
    spmm_op_t op;
    int64_t rows, cols, nnz, longest;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    double mean, stddev; /* of the nonzeros per row */
};

#endif
