// SPDX-License-Identifier: Apache-2.0
// Instances: window, tf32.
#include "window_instances.h"
#include "window_launch.cuh"

int spmmi_window_cuda_tf32(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_window<spmmi::ComputeTf32>(args);
}
