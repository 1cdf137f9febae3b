/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the rows family on the CPU. They read op(A) in CSR, and the items of a part. */
#ifndef SPMMI_ROWS_CSR_H
#define SPMMI_ROWS_CSR_H

#include <stdbool.h>

#include "executor/product.h"
#include "format/plan.h"

struct spmmi_rows_csr {
    int64_t rows, cols, nnz;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* nnz */
    const void *values;     /* nnz values of the product's type of A */
    struct spmmi_part part; /* schedule, item size and items */
    bool is_scattered;      /* nonzeros seldom use rows of B that others used shortly before */
};

/* Returns the bytes of workspace (data pointers may be NULL). */
uint64_t spmmi_rows_csr_workspace(const struct spmmi_rows_csr *a, const struct spmmi_product *product);
/* Runs a product. Never fails, allocates nothing, gives the same bits with any number of threads; 0: OpenMP's
 * default. */
void spmmi_rows_csr_run(const struct spmmi_rows_csr *a, const struct spmmi_product *product, void *workspace,
                        int threads);

#endif
