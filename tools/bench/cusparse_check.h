/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses and factors of cuSPARSE's generic functions. */
#ifndef SPMM_TOOLS_CUSPARSE_CHECK_H
#define SPMM_TOOLS_CUSPARSE_CHECK_H

#define DISABLE_CUSPARSE_DEPRECATED /* none is used, but the header itself causes the warning */
#include <cusparse.h>

#include "cuda_type.h"
#include "tools/compute/device_memory.h"

/* Returns SPMM_OK, or DEVICE with a sentence that begins with what. */
spmm_status_t cusparse_check(cusparseStatus_t error, const char *what, spmm_diag_t *diag);

/* How cuSPARSE computes products of a value type: f16 and bf16 are summed in f32, as in our kernels. alpha is
 * 1 and beta is 0. */
struct cusparse_factors {
    cudaDataType type, compute; /* type of A and B; type of products, sums and factors */
    const void *one, *zero;
};
struct cusparse_factors cusparse_factors_of(spmm_dtype_t dtype);

#endif
