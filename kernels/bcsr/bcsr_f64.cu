// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, f64.
#include "bcsr_instances.h"
#include "bcsr_launch.cuh"

int spmmi_bcsr_cuda_f64(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_bcsr<spmmi::BlockF64>(args, nullptr);
}
