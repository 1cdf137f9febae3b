/* SPDX-License-Identifier: Apache-2.0 */
/* The launch that copies values into slices of rows (rows_slices_shape.h). */
#ifndef SPMMI_ROWS_SLICES_KERNEL_H
#define SPMMI_ROWS_SLICES_KERNEL_H

#include "rows_slices_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device pointers. */
struct spmmi_slices_fill {
    uint32_t nnz, ranks, entries;
    enum spmmi_slice_index index;
    const struct spmmi_slice *slices; /* one per slice, then the end of the last slice */
    const uint32_t *rank_start;       /* ranks + 1: first nonzero of each rank */
    const void *from;                 /* nnz values, in the order of the rows */
    void *to;                         /* values of all entries; padding that is read is 0 */
    void *cuda_stream;
};

/* Copies the values. value_bytes: 2, 4 or 8. Returns a cudaError_t; 0 means enqueued. */
int spmmi_slices_fill_cuda(const struct spmmi_slices_fill *args, uint32_t value_bytes);

#ifdef __cplusplus
}
#endif
#endif
