/* SPDX-License-Identifier: Apache-2.0 */
/* The table of window kernels on the GPU, with one file of instances per compute type. */
#include <spmm/common.h>

#include "window_instances.h"

#define INVALID_VALUE 1 /* cudaErrorInvalidValue: the family has no code for f32 sums of f32 products */

int spmmi_window_cuda_launch(const struct spmmi_tcblock_cuda *args)
{
    static int (*const table[SPMM_COMPUTE_3XTF32 + 1])(const struct spmmi_tcblock_cuda *) = {
        [SPMM_COMPUTE_F64] = spmmi_window_cuda_f64,       [SPMM_COMPUTE_F16] = spmmi_window_cuda_f16,
        [SPMM_COMPUTE_BF16] = spmmi_window_cuda_bf16,     [SPMM_COMPUTE_TF32] = spmmi_window_cuda_tf32,
        [SPMM_COMPUTE_3XTF32] = spmmi_window_cuda_3xtf32,
    };
    return table[args->compute] != NULL ? table[args->compute](args) : INVALID_VALUE;
}
