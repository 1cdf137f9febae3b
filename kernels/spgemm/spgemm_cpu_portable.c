/* SPDX-License-Identifier: Apache-2.0 */
/* In plain C, for every machine. */
#define TARGET
#define LEVEL spmmi_spgemm_cpu_portable
#include "spgemm_cpu_level.h"
