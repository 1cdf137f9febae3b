/* SPDX-License-Identifier: Apache-2.0 */
/* The window family on the CPU. */
#include "kernels/tcblock/tcblock_host_cpu.h"
#include "window_pack.h"

const struct spmmi_backend spmmi_window_cpu = SPMMI_CPU_TCBLOCKS(&spmmi_window_kind);
