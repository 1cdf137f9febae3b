/* SPDX-License-Identifier: Apache-2.0 */
/* The bcsr family on a GPU. */
#include "bcsr_instances.h"
#include "bcsr_pack.h"
#include "kernels/tcblock/tcblock_cuda.h"

static const struct spmmi_tcblock_gpu gpu = {.kind = &spmmi_bcsr_kind,
                                             .launch = spmmi_bcsr_cuda_launch,
                                             .takes_columns = 1,
                                             .item_size = spmmi_bcsr_item_size};

const struct spmmi_backend spmmi_bcsr_cuda = {SPMMI_CUDA_TCBLOCKS, .kind = &gpu};
