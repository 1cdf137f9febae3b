// SPDX-License-Identifier: Apache-2.0
// Instances: both schedules, A whose values are all the same, B and C of bf16.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_row_split_uniform_bf16(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, __nv_bfloat16, __nv_bfloat16>, false>(shape);
}

spmmi_rows_cuda_fn spmmi_rows_nonzero_split_uniform_bf16(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, __nv_bfloat16, __nv_bfloat16>, true>(shape);
}
