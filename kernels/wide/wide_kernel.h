/* SPDX-License-Identifier: Apache-2.0 */
/* What packing, launches and kernels of the wide family share. */
#ifndef SPMMI_WIDE_KERNEL_H
#define SPMMI_WIDE_KERNEL_H

#include "kernels/shared/allowed.h"
#include "wide_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows, sorted by length, in slices. A slice has the rows of one warp, group_rows for each lane group. It is
 * a list of batches; a batch has BATCH entries for each lane group, and entry e belongs to row e % group_rows
 * of the group, columns ascending. A phase is one panel of rows of B; its batches may also read the AHEAD
 * next panels in the ring. At the end of a phase the slice no longer needs its panel. */
struct spmmi_wide {
    uint32_t rows, cols, group_rows, slice_count, panel_count, batch_count;
    const uint32_t *slice_start; /* slice_count + 1: first batch of each slice */
    const uint32_t
        *phase_end;           /* slice_count * panel_count: batches of the slice up to the end of the phase */
    const uint32_t *row_of;   /* slice_count * GROUPS * group_rows: row of C, or SPMMI_NONE */
    const uint16_t *ring_row; /* batch_count * SPMMI_WIDE_BATCH_ENTRIES: row of the ring; padding: RING */
};

/* The arguments of one launch. All pointers are device pointers. */
struct spmmi_wide_cuda {
    struct spmmi_wide layout;
    const void *values; /* values of the entries; padding is 0 */
    const void *b;
    void *c;
    uint64_t ldb, ldc;
    uint32_t n, multiprocessors;
    int has_tensor_maps; /* the GPU has a TMA, which copies boxes of a matrix: sm_90 */
    double alpha, beta;
    void *cuda_stream;
    struct spmmi_allowed *allowed; /* cache of the part */
};

/* Enqueues a product with f32 values. Returns a cudaError_t; 0: enqueued. */
int spmmi_wide_cuda_f32(const struct spmmi_wide_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
