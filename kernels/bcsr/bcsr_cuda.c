/* SPDX-License-Identifier: Apache-2.0 */
/* The bcsr family on a GPU. */
#include "bcsr_instances.h"
#include "bcsr_pack.h"
#include "kernels/tcblock/fragment_cuda.h"

static const struct spmmi_fragment_gpu gpu = {.kind = &spmmi_bcsr_kind, .launch = spmmi_bcsr_cuda_launch};

const struct spmmi_backend spmmi_bcsr_cuda = {SPMMI_CUDA_FRAGMENTS, .kind = &gpu};
