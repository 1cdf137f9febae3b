// SPDX-License-Identifier: Apache-2.0
// Instances: window, f16.
#include "window_instances.h"
#include "window_launch.cuh"

int spmmi_window_cuda_f16(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_window<spmmi::ComputeHalf<__half>>(args);
}
