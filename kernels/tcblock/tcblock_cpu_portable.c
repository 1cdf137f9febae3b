/* SPDX-License-Identifier: Apache-2.0 */
/* The window and panel families in plain C, for every machine. Where fma is an instruction the compiler uses it. */
#define TARGET
#define LEVEL spmmi_tcblock_cpu_portable
#include "tcblock_cpu_level.h"
