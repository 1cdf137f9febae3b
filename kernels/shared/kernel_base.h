/* SPDX-License-Identifier: Apache-2.0 */
/* What headers need that both host and device code include. */
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

/* Functions of geometry: in CUDA code also constants, from which templates get their arguments. */
#ifdef __cplusplus
#define SPMMI_GEOMETRY constexpr
#else
#define SPMMI_GEOMETRY static inline
#endif

/* In maps and lists of positions and rows: none. */
#define SPMMI_NONE 0xffffffffu

/* Bytes of a sum of products: double for f64, else float. */
static inline uint64_t spmmi_sum_bytes(int dtype)
{
    return dtype == 2 ? sizeof(double) : sizeof(float);
}

#ifdef __cplusplus
}
#endif
#endif
