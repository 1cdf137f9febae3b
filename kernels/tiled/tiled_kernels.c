/* SPDX-License-Identifier: Apache-2.0 */
/* The table of tiled kernels on the GPU: a file of instances a number type. */
#include "tiled_instances.h"

int spmmi_tiled_cuda_launch(int dtype, const struct spmmi_tiled_cuda *args)
{
    static int (*const table[4])(const struct spmmi_tiled_cuda *) = {
        spmmi_tiled_cuda_f32,
        spmmi_tiled_cuda_f64,
        spmmi_tiled_cuda_f16,
        spmmi_tiled_cuda_bf16,
    };
    return table[dtype - 1](args);
}
