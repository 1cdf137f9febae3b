// SPDX-License-Identifier: Apache-2.0
// Instances: panel, f64.
#include "panel_instances.h"
#include "panel_launch.cuh"

int spmmi_panel_cuda_f64(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_panel<spmmi::ComputeF64>(args);
}
