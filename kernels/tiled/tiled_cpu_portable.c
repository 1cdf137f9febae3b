/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family in plain C, for every machine. The compiler uses an FMA instruction if the target has
 * one. */
#define TARGET
#define LEVEL spmmi_tiled_cpu_portable
#include "tiled_cpu_level.h"
