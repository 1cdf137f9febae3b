/* SPDX-License-Identifier: Apache-2.0 */
/* What a set-up of aggregation.h does beside products, on the CPU and on a GPU: simple loops, with the same bits on
 * both. All arrays are memory of the device; row pointers and columns have 32 bits. A step of a GPU is enqueued in the
 * default stream. */
#ifndef EXAMPLE_SETUP_STEPS_H
#define EXAMPLE_SETUP_STEPS_H

#include <spmm/common.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SETUP_STEPS_LANES 32 /* partial sums of a row: entry p of a row is in sum p % 32 */

/* Each returns 0 if it could not be started. */
struct setup_steps {
    /* inverse: of the diagonal of A. bound: one number, of the eigenvalues of D^-1 A, the largest sum of a row; NaN: a
     * diagonal entry is not positive. */
    int (*diagonal)(const spmm_csr_t *a, double *inverse, double *bound);
    /* P = T - omega D^-1 (A T), omega = 3 / bound, on the values of A T; t_columns: of T, the one entry, which is 1, of
     * each row. */
    int (*smooth)(const spmm_csr_t *p, const int32_t *t_columns, const double *inverse, const double *bound,
                  double *values);
    /* to[i] = values[from[i]] */
    int (*gather)(const double *values, const int32_t *from, double *to, int64_t count);
};
extern const struct setup_steps setup_steps_cpu;
const struct setup_steps *setup_steps_cuda(void); /* NULL: this build has no CUDA */

#ifdef __cplusplus
}
#endif
#endif
