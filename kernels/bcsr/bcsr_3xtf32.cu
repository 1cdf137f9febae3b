// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, 3xtf32.
#include "bcsr_instances.h"
#include "bcsr_launch.cuh"

int spmmi_bcsr_cuda_3xtf32(const struct spmmi_tcblock_cuda *args)
{
#ifdef SPMMI_HAVE_WGMMA
    return spmmi::launch_bcsr<spmmi::Block3xTf32>(args, spmmi_bcsr_groups_3xtf32);
#else
    return spmmi::launch_bcsr<spmmi::Block3xTf32>(args, nullptr);
#endif
}
