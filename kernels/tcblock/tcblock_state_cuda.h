/* SPDX-License-Identifier: Apache-2.0 */
/* A part on the device, for the files that make it and run it. */
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
    void *values;                          /* the same as layout.values, to write */
    struct spmmi_value_memory new_values;  /* where rows begin in op(A); op = T: the order of its values */
    struct spmmi_cuda_long_rows long_rows; /* rows that are not in the layout */
    struct spmmi_device_block memory;      /* all of the above, one allocation */
    struct spmmi_allowed allowed;
    struct spmmi_part part; /* without items */
    spmm_dtype_t dtype;
    uint32_t nnz;
};

#endif
