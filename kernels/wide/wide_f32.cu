// SPDX-License-Identifier: Apache-2.0
// Instances: wide, f32.
#include "wide_kernel.h"
#include "wide_launch.cuh"

int spmmi_wide_cuda_f32(const struct spmmi_wide_cuda *args)
{
    return spmmi::launch_wide<float>(args);
}
