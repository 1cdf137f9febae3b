/* SPDX-License-Identifier: Apache-2.0 */
/* What packing, launch and kernels of the wide family share. */
#ifndef SPMMI_WIDE_KERNEL_H
#define SPMMI_WIDE_KERNEL_H

#include "kernels/shared/allowed.h"
#include "wide_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows, sorted by length, in slices: those of a warp, group_rows of each lane group. A slice is a list of batches: for
 * each lane group BATCH entries, entry e of row e % group_rows of the group, columns ascending. Each phase has a panel
 * of rows of B and those AHEAD of it in the ring; at its end the slice is done with the panel. */
struct spmmi_wide {
    uint32_t rows, cols, group_rows, slice_count, panel_count, batch_count;
    const uint32_t *slice_start; /* slice_count + 1: first batch */
    const uint32_t
        *phase_end;           /* slice_count * panel_count: batches of the slice until the end of the phase */
    const uint32_t *row_of;   /* slice_count * GROUPS * group_rows: row of C, or SPMMI_NONE */
    const uint16_t *ring_row; /* batch_count * SPMMI_WIDE_BATCH_ENTRIES: row of the ring; RING: of padding */
};

/* One launch; pointers of the device. */
struct spmmi_wide_cuda {
    struct spmmi_wide layout;
    const void *values; /* of the entries; 0 for padding */
    const void *b;
    void *c;
    uint64_t ldb, ldc;
    uint32_t n, multiprocessors;
    int has_tensor_maps; /* the GPU copies boxes of a matrix: sm_90 */
    double alpha, beta;
    void *cuda_stream;
    struct spmmi_allowed *allowed; /* of the part */
};

/* Values of f32. Returns a cudaError_t, 0 = enqueued. */
int spmmi_wide_cuda_f32(const struct spmmi_wide_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
