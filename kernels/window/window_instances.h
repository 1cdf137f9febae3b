/* SPDX-License-Identifier: Apache-2.0 */
/* One function per file of instances, with the contract of spmmi_window_cuda_launch. */
#ifndef SPMMI_WINDOW_INSTANCES_H
#define SPMMI_WINDOW_INSTANCES_H

#include "kernels/tcblock/tcblock_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches the instance for args->compute. Returns a cudaError_t, 0 = enqueued. */
int spmmi_window_cuda_launch(const struct spmmi_tcblock_cuda *args);

int spmmi_window_cuda_tf32(const struct spmmi_tcblock_cuda *args);
int spmmi_window_cuda_3xtf32(const struct spmmi_tcblock_cuda *args);
int spmmi_window_cuda_f64(const struct spmmi_tcblock_cuda *args);
int spmmi_window_cuda_f16(const struct spmmi_tcblock_cuda *args);
int spmmi_window_cuda_bf16(const struct spmmi_tcblock_cuda *args);

#ifdef __cplusplus
}
#endif
#endif
