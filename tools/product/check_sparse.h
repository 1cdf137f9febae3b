/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a product of sparse matrices: pattern and values of C against sums in a higher precision. */
#ifndef SPMM_TOOLS_CHECK_SPARSE_H
#define SPMM_TOOLS_CHECK_SPARSE_H

#include <spmm/product.h>

#define CHECK_SPARSE_FACTORS SPMM_PRODUCT_FACTORS

/* A product that was computed; all matrices have row pointers of int64_t, columns of int32_t and values of one type. */
struct product_claim {
    int factor_count;
    spmm_csr_t factor[CHECK_SPARSE_FACTORS];
    spmm_op_t op[CHECK_SPARSE_FACTORS];
    const void *diagonal; /* NULL: none */
    double alpha;         /* as the type holds it */
    int is_lower;
    spmm_csr_t c;
};

struct product_verdict {
    double ratio; /* largest error over its bound (docs/accuracy.md); infinite where the pattern is another */
    int64_t row, col;
    double found, expected; /* there */
};

/* O(products) time, one thread. Errors: MEMORY. */
spmm_status_t check_sparse(const struct product_claim *claim, struct product_verdict *verdict,
                           spmm_diag_t *diag);

#endif
