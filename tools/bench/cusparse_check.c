/* SPDX-License-Identifier: Apache-2.0 */
/* See cusparse_check.h. */
#include "cusparse_check.h"

#include "tools/cli/fail.h"

spmm_status_t cusparse_check(cusparseStatus_t error, const char *what, spmm_diag_t *diag)
{
    if (error == CUSPARSE_STATUS_SUCCESS)
        return SPMM_OK;
    fail(diag, SPMM_ERR_DEVICE, "%s: %s", what, cusparseGetErrorString(error));
    diag->native_error = (int)error;
    return SPMM_ERR_DEVICE;
}

struct cusparse_factors cusparse_factors_of(spmm_dtype_t dtype)
{
    static const float one_f32 = 1.0f, zero_f32 = 0.0f;
    static const double one_f64 = 1.0, zero_f64 = 0.0;
    if (dtype == SPMM_F64)
        return (struct cusparse_factors){cuda_type(dtype), CUDA_R_64F, &one_f64, &zero_f64};
    return (struct cusparse_factors){cuda_type(dtype), CUDA_R_32F, &one_f32, &zero_f32};
}
