// SPDX-License-Identifier: Apache-2.0
// Instances: tiled, f16.
#include "tiled_instances.h"
#include "tiled_launch.cuh"

int spmmi_tiled_cuda_f16(const struct spmmi_tiled_cuda *args)
{
    return spmmi::launch_tiled_type<__half>(args);
}
