// SPDX-License-Identifier: Apache-2.0
// Instances: bcsr, 3xtf32 by warpgroups. Compiled for sm_90a only.
#include "bcsr_tf32_launch.cuh"

#include "bcsr_instances.h"

int spmmi_bcsr_groups_3xtf32(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape)
{
    return spmmi::launch_bcsr_split(args, *shape);
}
