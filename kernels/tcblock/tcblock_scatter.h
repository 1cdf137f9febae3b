/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values of A into tensor-core blocks on the GPU. */
#ifndef SPMMI_TCBLOCK_SCATTER_H
#define SPMMI_TCBLOCK_SCATTER_H

#include "tcblock_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments. All pointers are device pointers. */
struct spmmi_tcblock_scatter {
    struct spmmi_tcblocks layout; /* without its values */
    const uint32_t *row_start;    /* unit_count * unit_rows: CSR position of the row's first nonzero */
    const uint32_t *order; /* nnz: position in `in` of each nonzero of op(A) in CSR order; NULL: identity */
    uint32_t nnz, value_bytes;
    const void *in; /* nnz values */
    void *out;      /* layout.value_count values; padding stays unchanged */
    void *cuda_stream;
};

/* Enqueues the kernel. Returns a cudaError_t, 0 = enqueued. */
int spmmi_tcblock_scatter_cuda(const struct spmmi_tcblock_scatter *args);

#ifdef __cplusplus
}
#endif
#endif
