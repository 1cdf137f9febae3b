/* SPDX-License-Identifier: Apache-2.0 */
/* One function per file of instances, with the contract of spmmi_tiled_cuda_launch. */
#ifndef SPMMI_TILED_INSTANCES_H
#define SPMMI_TILED_INSTANCES_H

#include "tiled_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

int spmmi_tiled_cuda_f32(const struct spmmi_tiled_cuda *args);
int spmmi_tiled_cuda_f64(const struct spmmi_tiled_cuda *args);
int spmmi_tiled_cuda_f16(const struct spmmi_tiled_cuda *args);
int spmmi_tiled_cuda_bf16(const struct spmmi_tiled_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
