/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel families are not emulated: the table of their kernels on GPUs is empty. */
#include <stddef.h>

#include "executor/backend.h"

const struct spmmi_kernel spmmi_cuda_kernels[] = {{NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL}};
