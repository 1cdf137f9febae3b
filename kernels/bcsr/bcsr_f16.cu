// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, f16.
#include "bcsr_instances.h"
#include "bcsr_launch.cuh"

int spmmi_bcsr_cuda_f16(const struct spmmi_tcblock_cuda *args)
{
#ifdef SPMMI_HAVE_WGMMA
    return spmmi::launch_bcsr<spmmi::BlockHalf<__half>>(args, spmmi_bcsr_groups_f16);
#else
    return spmmi::launch_bcsr<spmmi::BlockHalf<__half>>(args, nullptr);
#endif
}
