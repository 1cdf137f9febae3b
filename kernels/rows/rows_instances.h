/* SPDX-License-Identifier: Apache-2.0 */
/* Types that the GPU kernels were compiled for. For each combination of types and each schedule, a function
 * returns the kernel of a shape, or NULL if there is none. */
#ifndef SPMMI_ROWS_INSTANCES_H
#define SPMMI_ROWS_INSTANCES_H

#include "rows_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, type of A, or 0 if all values are equal and not read, type of B, type of C) */
#define SPMMI_ROWS_INSTANCES(X)                    \
    X(f32, SPMM_F32, SPMM_F32, SPMM_F32)           \
    X(f64, SPMM_F64, SPMM_F64, SPMM_F64)           \
    X(f16, SPMM_F16, SPMM_F16, SPMM_F16)           \
    X(bf16, SPMM_BF16, SPMM_BF16, SPMM_BF16)       \
    X(f32_f16, SPMM_F32, SPMM_F16, SPMM_F16)       \
    X(f32_bf16, SPMM_F32, SPMM_BF16, SPMM_BF16)    \
    X(f16_to_f32, SPMM_F16, SPMM_F16, SPMM_F32)    \
    X(bf16_to_f32, SPMM_BF16, SPMM_BF16, SPMM_F32) \
    X(uniform_f32, 0, SPMM_F32, SPMM_F32)          \
    X(uniform_f64, 0, SPMM_F64, SPMM_F64)          \
    X(uniform_f16, 0, SPMM_F16, SPMM_F16)          \
    X(uniform_bf16, 0, SPMM_BF16, SPMM_BF16)       \
    X(uniform_f16_to_f32, 0, SPMM_F16, SPMM_F32)   \
    X(uniform_bf16_to_f32, 0, SPMM_BF16, SPMM_F32)

#define SPMMI_ROWS_DECLARE(name, a, b, c)                                          \
    spmmi_rows_cuda_fn spmmi_rows_row_split_##name(struct spmmi_rows_shape shape); \
    spmmi_rows_cuda_fn spmmi_rows_nonzero_split_##name(struct spmmi_rows_shape shape);
SPMMI_ROWS_INSTANCES(SPMMI_ROWS_DECLARE)
#undef SPMMI_ROWS_DECLARE

#ifdef __cplusplus
}
#endif
#endif
