// SPDX-License-Identifier: Apache-2.0
// Instances: nonzero split, bf16.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_nonzero_split_bf16(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<__nv_bfloat16>, true>(shape);
}
