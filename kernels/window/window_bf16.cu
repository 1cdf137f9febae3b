// SPDX-License-Identifier: Apache-2.0
// Instances: window, bf16.
#include "window_instances.h"
#include "window_launch.cuh"

int spmmi_window_cuda_bf16(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_window<spmmi::ComputeHalf<__nv_bfloat16>>(args);
}
