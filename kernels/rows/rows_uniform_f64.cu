// SPDX-License-Identifier: Apache-2.0
// Instances: both schedules, A whose values are all the same, B and C of f64.
#include "rows_instances.h"
#include "rows_launch.cuh"

spmmi_rows_cuda_fn spmmi_rows_row_split_uniform_f64(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, double, double>, false>(shape);
}

spmmi_rows_cuda_fn spmmi_rows_nonzero_split_uniform_f64(struct spmmi_rows_shape shape)
{
    return spmmi::find_instance<spmmi::Types<spmmi::Uniform, double, double>, true>(shape);
}
