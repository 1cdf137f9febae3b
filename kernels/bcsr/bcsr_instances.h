/* SPDX-License-Identifier: Apache-2.0 */
/* One function per file of instances, with the contract of spmmi_bcsr_cuda_launch. */
#ifndef SPMMI_BCSR_INSTANCES_H
#define SPMMI_BCSR_INSTANCES_H

#include "bcsr_shape.h"
#include "kernels/tcblock/tcblock_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches the instance for args->compute. Returns a cudaError_t, 0 = enqueued. */
int spmmi_bcsr_cuda_launch(const struct spmmi_tcblock_cuda *args);

int spmmi_bcsr_cuda_tf32(const struct spmmi_tcblock_cuda *args);
int spmmi_bcsr_cuda_3xtf32(const struct spmmi_tcblock_cuda *args);
int spmmi_bcsr_cuda_f64(const struct spmmi_tcblock_cuda *args);
int spmmi_bcsr_cuda_f16(const struct spmmi_tcblock_cuda *args);
int spmmi_bcsr_cuda_bf16(const struct spmmi_tcblock_cuda *args);

/* Launch warpgroups, in builds that define SPMMI_HAVE_WGMMA, for shapes with has_groups. They differ from the
 * functions above in that the partial sums of split units stay in their slots. */
int spmmi_bcsr_groups_3xtf32(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape);
int spmmi_bcsr_groups_f16(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape);
int spmmi_bcsr_groups_bf16(const struct spmmi_tcblock_cuda *args, const struct spmmi_bcsr_shape *shape);

#ifdef __cplusplus
}
#endif
#endif
