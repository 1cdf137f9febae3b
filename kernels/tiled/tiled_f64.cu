// SPDX-License-Identifier: Apache-2.0
// Instances: tiled, f64.
#include "tiled_instances.h"
#include "tiled_launch.cuh"

int spmmi_tiled_cuda_f64(const struct spmmi_tiled_cuda *args)
{
    return spmmi::launch_tiled_type<double>(args);
}
