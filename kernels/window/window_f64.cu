// SPDX-License-Identifier: Apache-2.0
// Instances: window, f64.
#include "window_instances.h"
#include "window_launch.cuh"

int spmmi_window_cuda_f64(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_window<spmmi::ComputeF64>(args);
}
