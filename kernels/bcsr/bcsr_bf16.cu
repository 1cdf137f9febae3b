// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, bf16.
#include "bcsr_instances.h"
#include "bcsr_launch.cuh"

int spmmi_bcsr_cuda_bf16(const struct spmmi_tcblock_cuda *args)
{
#ifdef SPMMI_HAVE_WGMMA
    return spmmi::launch_bcsr<spmmi::BlockHalf<__nv_bfloat16>>(args, spmmi_bcsr_groups_bf16);
#else
    return spmmi::launch_bcsr<spmmi::BlockHalf<__nv_bfloat16>>(args, nullptr);
#endif
}
