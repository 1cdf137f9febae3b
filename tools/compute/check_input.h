/* SPDX-License-Identifier: Apache-2.0 */
/* What a product is checked against. */
#ifndef SPMM_TOOLS_CHECK_INPUT_H
#define SPMM_TOOLS_CHECK_INPUT_H

#include "tools/cli/arithmetic.h"
#include "host_csr.h"

struct check_input {
    const struct host_csr *a; /* op(A) */
    const double *b;          /* a->cols x n, element (j, c) at b[j * n + c], numbers of its type */
    int64_t n;
    double alpha, beta;
    const spmm_dense_t *c0;       /* C before the product, in host memory; NULL when beta is 0 */
    struct arithmetic arithmetic; /* that check_product allows for; all 0: numbers as they are */
};

#endif
