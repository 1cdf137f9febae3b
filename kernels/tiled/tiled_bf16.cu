// SPDX-License-Identifier: Apache-2.0
// Instances: tiled, bf16.
#include "tiled_instances.h"
#include "tiled_launch.cuh"

int spmmi_tiled_cuda_bf16(const struct spmmi_tiled_cuda *args)
{
    return spmmi::launch_tiled_type<__nv_bfloat16>(args);
}
