/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of the CPU kernels. */
#include <stddef.h>

#include "executor/backend.h"

#define TARGET "cpu"
#define KERNELS spmmi_cpu_kernels
#define BACKEND(family) spmmi_##family##_cpu
#include "executor/kernel_table.h"
