// SPDX-License-Identifier: Apache-2.0
// Instances: panel, bf16.
#include "panel_instances.h"
#include "panel_launch.cuh"

int spmmi_panel_cuda_bf16(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_panel<spmmi::ComputeHalf<__nv_bfloat16>>(args);
}
