/* SPDX-License-Identifier: Apache-2.0 */
/* A part on the device, as the files that make and run it see it. */
#ifndef SPMMI_TCBLOCK_STATE_CUDA_H
#define SPMMI_TCBLOCK_STATE_CUDA_H

#include "tcblock_kernel.h"
#include "executor/cuda/cuda_value_memory.h"
#include "kernels/long_rows/long_rows_cuda.h"

struct spmmi_tcblock_gpu;

struct tcblock_state {
    const struct spmmi_tcblock_gpu *gpu;
    const struct spmmi_device *device;
    struct spmmi_tcblocks layout;          /* device pointers */
    void *values;                          /* same address as layout.values, writable */
    struct spmmi_value_memory new_values;  /* row starts in op(A); for op = T also the order of its values */
    struct spmmi_cuda_long_rows long_rows; /* rows that the layout does not contain */
    struct spmmi_device_block memory;      /* the single allocation for all of the above */
    struct spmmi_allowed allowed;
    struct spmmi_part part; /* without items */
    spmm_dtype_t dtype;
    uint32_t nnz;
};

#endif
