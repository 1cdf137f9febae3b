/* SPDX-License-Identifier: Apache-2.0 */
/* The table of bcsr kernels on the GPU: a file of instances a compute type. */
#include <stddef.h>

#include "bcsr_instances.h"

#define INVALID_VALUE 1 /* cudaErrorInvalidValue: the family has no code for f32 sums of f32 products */

int spmmi_bcsr_cuda_launch(const struct spmmi_fragment_cuda *args)
{
    static int (*const table[6])(const struct spmmi_fragment_cuda *) = {
        NULL,
        spmmi_bcsr_cuda_f64,
        spmmi_bcsr_cuda_f16,
        spmmi_bcsr_cuda_bf16,
        spmmi_bcsr_cuda_tf32,
        spmmi_bcsr_cuda_3xtf32,
    }; /* by spmm_compute_t - 1 */
    return table[args->compute - 1] != NULL ? table[args->compute - 1](args) : INVALID_VALUE;
}
