// SPDX-License-Identifier: Apache-2.0
// Narrow dense products in every type; see dense_narrow.cuh.
#include "dense_narrow.cuh"

int spmmi_dense_narrow_cuda(const spmmi_dense_exact *args, const spmmi_dense_narrow_shape *shape)
{
    switch (args->dtype) {
    case 1:
        return spmmi::launch_narrow_f32(*args, *shape);
    case 2:
        return spmmi::launch_narrow_f64(*args, *shape);
    case 3:
        return spmmi::launch_narrow_rows<__half, 8>(*args, *shape);
    default:
        return spmmi::launch_narrow_rows<__nv_bfloat16, 8>(*args, *shape);
    }
}
