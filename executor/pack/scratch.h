/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory packing may take beside what it makes: linear in the nonzeros at any number of threads. */
#ifndef SPMMI_SCRATCH_H
#define SPMMI_SCRATCH_H

#include <stdint.h>

#define SPMMI_SCRATCH_A_NONZERO 128u           /* bytes, of all threads but one */
#define SPMMI_SCRATCH_MORE (UINT64_C(4) << 20) /* and so many, which small matrices may take as well */
#define SPMMI_SCRATCH_MAX (UINT64_C(1) << 30)

/* How many of these threads may have `each` bytes of their own. One always may. */
static inline int spmmi_scratch_threads(int threads, uint64_t each, uint64_t nnz)
{
    const uint64_t linear = SPMMI_SCRATCH_A_NONZERO * nnz + SPMMI_SCRATCH_MORE;
    const uint64_t room = linear < SPMMI_SCRATCH_MAX ? linear : SPMMI_SCRATCH_MAX;
    const uint64_t most = room / (each + 1) + 1;
    return most < (uint64_t)threads ? (int)most : threads;
}

#endif
