// SPDX-License-Identifier: Apache-2.0
// Instances: row split, f32.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_row_split_f32(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<float>, false>(shape);
}
