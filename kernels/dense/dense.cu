// SPDX-License-Identifier: Apache-2.0
// Instances of the kernels that follow a dense product, for every type; see dense.cuh.
#include "dense.cuh"

int spmmi_dense_exact_cuda(const spmmi_dense_exact *args)
{
    switch (args->dtype) {
    case 1:
        return spmmi::dense_exact_launch<float>(*args);
    case 2:
        return spmmi::dense_exact_launch<double>(*args);
    case 3:
        return spmmi::dense_exact_launch<__half>(*args);
    default:
        return spmmi::dense_exact_launch<__nv_bfloat16>(*args);
    }
}
