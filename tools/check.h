/* SPDX-License-Identifier: Apache-2.0 */
/* Is a product right? Each element is judged by the error bound of any summation order:
 *
 *     |C_ij - (AB)_ij| <= gamma(t_i) * (|A||B|)_ij + t_i * eta,   gamma(t) = t u / (1 - t u)
 *
 * with t_i the number of roundings on the way to an element of row i: its stored entries, and one more for each of
 * alpha and beta where they take part. u is the unit roundoff of the product's type, eta its least positive number.
 * The error ratio is the largest quotient of error and bound; a product is right when it is at most 1.
 * NaN must meet NaN and infinity the same infinity. The reference is computed in a wider type than the product's. */
#ifndef SPMM_TOOLS_CHECK_H
#define SPMM_TOOLS_CHECK_H

#include "host_csr.h"

struct check_input {
    const struct host_csr *a; /* op(A) */
    const double *b;          /* a->cols x n, element (j, c) at b[j * n + c], numbers of the product's type */
    int64_t n;
    double alpha, beta;
    const spmm_dense_t *c0; /* C before the product, in host memory; NULL when beta is 0 */
};

struct check_result {
    double ratio;     /* the error ratio; infinite where no error was allowed or NaN was misplaced */
    int64_t row, col; /* where it was met; -1 for an empty product */
    double found, expected;
};

/* Check every row of c, which lies in host memory. */
spmm_status_t check_product(const struct check_input *input, const spmm_dense_t *c,
                            struct check_result *result, spmm_diag_t *diag);

/* Expected values and bounds of some rows, kept for many products of the same matrix. */
struct check_reference;

/* rows: ascending row numbers, copied. */
spmm_status_t check_reference_make(const struct check_input *input, const int64_t *rows, int64_t row_count,
                                   struct check_reference **reference, spmm_diag_t *diag);
/* Check these rows of c; c may be narrower than the reference: its columns are the first ones. The other rows are
 * only searched for NaN when the reference holds none: memory that was never written is filled with NaN. */
struct check_result check_against(const struct check_reference *reference, const spmm_dense_t *c);
void check_reference_free(struct check_reference *reference);

#endif
