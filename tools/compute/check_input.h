/* SPDX-License-Identifier: Apache-2.0 */
/* The operands that a product is checked against. */
#ifndef SPMM_TOOLS_CHECK_INPUT_H
#define SPMM_TOOLS_CHECK_INPUT_H

#include "tools/cli/arithmetic.h"
#include "host_csr.h"

struct check_input {
    const struct host_csr *a; /* op(A) */
    const double *b;          /* a->cols x n; element (j, c) is b[j * n + c], already rounded to its type */
    int64_t n;
    double alpha, beta;
    const spmm_dense_t *c0;       /* C before the product, in host memory; NULL if beta is 0 */
    struct arithmetic arithmetic; /* used by check_product; all 0: factors are not rounded */
};

#endif
