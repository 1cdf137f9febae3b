// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, tf32.
#include "bcsr_instances.h"
#include "bcsr_launch.cuh"

int spmmi_bcsr_cuda_tf32(const struct spmmi_tcblock_cuda *args)
{
    return spmmi::launch_bcsr<spmmi::BlockTf32>(args, nullptr);
}
