/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of the GPU kernels. */
#include <stddef.h>

#include "executor/backend.h"

#define TARGET "cuda"
#define KERNELS spmmi_cuda_kernels
#define BACKEND(family) spmmi_##family##_cuda
#include "executor/kernel_table.h"
