/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a sparse product: compares pattern and values of C with sums in a higher precision. */
#ifndef SPMM_TOOLS_CHECK_SPARSE_H
#define SPMM_TOOLS_CHECK_SPARSE_H

#include <spmm/product.h>

#define CHECK_SPARSE_FACTORS SPMM_PRODUCT_FACTORS

/* A computed product. All matrices have int64_t row pointers, int32_t columns, and values of one type. */
struct product_claim {
    int factor_count;
    spmm_csr_t factor[CHECK_SPARSE_FACTORS];
    spmm_op_t op[CHECK_SPARSE_FACTORS];
    const void *diagonal; /* NULL if there is none */
    double alpha;         /* already rounded to the value type */
    int is_lower;
    spmm_csr_t c;
};

struct product_verdict {
    double ratio; /* largest error / bound (docs/accuracy.md); infinite if the pattern is wrong */
    int64_t row, col;
    double found, expected; /* at this entry */
};

/* Checks the claim with one thread, in O(number of products) time. Errors: MEMORY. */
spmm_status_t check_sparse(const struct product_claim *claim, struct product_verdict *verdict,
                           spmm_diag_t *diag);

#endif
