/* SPDX-License-Identifier: Apache-2.0 */
/* The panel family on the CPU. */
#include "kernels/tcblock/tcblock_host_cpu.h"
#include "panel_pack.h"

const struct spmmi_backend spmmi_panel_cpu = SPMMI_CPU_TCBLOCKS(&spmmi_panel_kind);
