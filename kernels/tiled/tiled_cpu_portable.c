/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family in plain C, for every machine. Where fma is an instruction the compiler uses it. */
#define TARGET
#define LEVEL spmmi_tiled_cpu_portable
#include "tiled_cpu_level.h"
