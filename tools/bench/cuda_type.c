/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_type.h. */
#include "cuda_type.h"

cudaDataType cuda_type(spmm_dtype_t dtype)
{
    switch (dtype) {
    case SPMM_F64:
        return CUDA_R_64F;
    case SPMM_F16:
        return CUDA_R_16F;
    case SPMM_BF16:
        return CUDA_R_16BF;
    case SPMM_F32:
        break;
    }
    return CUDA_R_32F;
}
