/* SPDX-License-Identifier: Apache-2.0 */
/* The window family on a GPU. */
#include "window_instances.h"
#include "window_pack.h"
#include "kernels/tcblock/tcblock_cuda.h"

static const struct spmmi_tcblock_gpu gpu = {.kind = &spmmi_window_kind, .launch = spmmi_window_cuda_launch};

const struct spmmi_backend spmmi_window_cuda = {SPMMI_CUDA_TCBLOCKS, .kind = &gpu};
