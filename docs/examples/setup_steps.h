/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a set-up of aggregation.h between the products, on the CPU and on a GPU: simple loops that give the
 * same bits on both. All arrays are memory of the device; row pointers and columns have 32 bits. Steps on a GPU are
 * enqueued in the default stream. */
#ifndef EXAMPLE_SETUP_STEPS_H
#define EXAMPLE_SETUP_STEPS_H

#include <spmm/common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SETUP_STEPS_LANES 32 /* partial sums of a row: entry p of a row is in sum p % 32 */

/* Each function returns 0 if its step could not be started. */
struct setup_steps {
    /* inverse: the inverse of the diagonal of A. bound: one number, an upper bound of the eigenvalues of D^-1 A, which
     * is the largest sum of a row; NaN if a diagonal entry is not positive. */
    int (*diagonal)(const spmm_csr_t *a, double *inverse, double *bound);
    /* Computes P = T - omega D^-1 (A T) with omega = 3 / bound; values holds A T before and P afterwards. t_columns:
     * the column of the only entry of each row of T, which is 1. */
    int (*smooth)(const spmm_csr_t *p, const int32_t *t_columns, const double *inverse, const double *bound,
                  double *values);
    /* Sets to[i] = values[from[i]]. */
    int (*gather)(const double *values, const int32_t *from, double *to, int64_t count);
};
extern const struct setup_steps setup_steps_cpu;
const struct setup_steps *setup_steps_cuda(void); /* NULL: this build has no CUDA */

#ifdef __cplusplus
}
#endif
#endif
