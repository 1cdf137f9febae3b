// SPDX-License-Identifier: Apache-2.0
// Instances: both schedules, A whose values are all the same, B of f16, C of f32.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_row_split_uniform_f16_to_f32(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, __half, float>, false>(shape);
}

spmmi_rows_cuda_fn spmmi_rows_nonzero_split_uniform_f16_to_f32(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, __half, float>, true>(shape);
}
