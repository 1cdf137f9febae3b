/* SPDX-License-Identifier: Apache-2.0 */
/* The table of tiled kernels on the GPU, with one file of instances per value type. */
#include <spmm/common.h>

#include "tiled_instances.h"

int spmmi_tiled_cuda_launch(int dtype, const struct spmmi_tiled_cuda *args)
{
    static int (*const table[SPMM_BF16 + 1])(const struct spmmi_tiled_cuda *) = {
        [SPMM_F32] = spmmi_tiled_cuda_f32,
        [SPMM_F64] = spmmi_tiled_cuda_f64,
        [SPMM_F16] = spmmi_tiled_cuda_f16,
        [SPMM_BF16] = spmmi_tiled_cuda_bf16,
    };
    return table[dtype](args);
}
