/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the temporary memory of packing: linear in the nonzeros for any number of threads. */
#ifndef SPMMI_SCRATCH_H
#define SPMMI_SCRATCH_H

#include <stdint.h>

#define SPMMI_SCRATCH_A_NONZERO 128u           /* bytes per nonzero, for all threads but one */
#define SPMMI_SCRATCH_MORE (UINT64_C(4) << 20) /* further bytes, so that small matrices may use threads */
#define SPMMI_SCRATCH_MAX (UINT64_C(1) << 30)

/* Returns how many of the threads may allocate `each` bytes; at least 1. */
static inline int spmmi_scratch_threads(int threads, uint64_t each, uint64_t nnz)
{
    const uint64_t linear = SPMMI_SCRATCH_A_NONZERO * nnz + SPMMI_SCRATCH_MORE;
    const uint64_t room = linear < SPMMI_SCRATCH_MAX ? linear : SPMMI_SCRATCH_MAX;
    const uint64_t most = room / (each + 1) + 1;
    return most < (uint64_t)threads ? (int)most : threads;
}

#endif
