/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions for headers that both host and device code include. */
#ifndef SPMMI_KERNEL_BASE_H
#define SPMMI_KERNEL_BASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define SPMMI_HOST_DEVICE __host__ __device__
#else
#define SPMMI_HOST_DEVICE
#endif

/* Functions of geometry. In CUDA code they are also constants, which can be template arguments. */
#ifdef __cplusplus
#define SPMMI_GEOMETRY constexpr
#else
#define SPMMI_GEOMETRY static inline
#endif

/* No position or row, in maps and lists of positions and rows. */
#define SPMMI_NONE 0xffffffffu

/* Returns the bytes of a sum of products: double for f64, else float. */
static inline uint64_t spmmi_sum_bytes(int dtype)
{
    return dtype == 2 ? sizeof(double) : sizeof(float);
}

#ifdef __cplusplus
}
#endif
#endif
