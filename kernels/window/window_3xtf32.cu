// SPDX-License-Identifier: Apache-2.0
// Instances: window, 3xtf32.
#include "window_instances.h"
#include "window_launch.cuh"

int spmmi_window_cuda_3xtf32(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_window<spmmi::Compute3xTf32>(args);
}
