/* SPDX-License-Identifier: Apache-2.0 */
/* The window, panel and bcsr families in plain C, for every machine. The compiler uses an FMA
 * instruction if the target has one. */
#define TARGET
#define LEVEL spmmi_tcblock_cpu_portable
#include "tcblock_cpu_level.h"
