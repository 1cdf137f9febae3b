// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, f16 and bf16 by warpgroups. Compiled for sm_90a only.
#include "bcsr_wgmma.cuh"

#include "bcsr_instances.h"

int spmmi_bcsr_groups_f16(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape)
{
    return spmmi::launch_bcsr_wgmma<__half>(args, *shape);
}

int spmmi_bcsr_groups_bf16(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape)
{
    return spmmi::launch_bcsr_wgmma<__nv_bfloat16>(args, *shape);
}
