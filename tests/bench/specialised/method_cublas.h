/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS with A stored including its zeros, in the type of the case (f16 and bf16 with sums in f32): first
 * cublasGemmEx, then the algorithms that cuBLASLt proposes, of which the fastest counts. */
#ifndef SPMM_TESTS_METHOD_CUBLAS_H
#define SPMM_TESTS_METHOD_CUBLAS_H

#include "method.h"

#define METHOD_CUBLAS_COUNT 5

/* Open and close what a process needs once, before the first and after the last use. */
spmm_status_t method_cublas_open(spmm_diag_t *diag);
void method_cublas_close(void);

/* number is below METHOD_CUBLAS_COUNT. */
struct method method_cublas(int number);

#endif
