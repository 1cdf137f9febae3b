// SPDX-License-Identifier: Apache-2.0
// Instances: both schedules, A and B of bf16, C of f32.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_row_split_bf16_to_f32(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<__nv_bfloat16, __nv_bfloat16, float>, false>(shape);
}

spmmi_rows_cuda_fn spmmi_rows_nonzero_split_bf16_to_f32(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<__nv_bfloat16, __nv_bfloat16, float>, true>(shape);
}
