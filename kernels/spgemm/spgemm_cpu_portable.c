/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the C code of spgemm_cpu_level.h without special instructions, for every machine. */
#define TARGET
#define LEVEL spmmi_spgemm_cpu_portable
#include "spgemm_cpu_level.h"
