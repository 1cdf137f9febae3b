// SPDX-License-Identifier: Apache-2.0
// Instances: panel, tf32.
#include "panel_instances.h"
#include "panel_launch.cuh"

int spmmi_panel_cuda_tf32(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_panel<spmmi::ComputeTf32>(args);
}
