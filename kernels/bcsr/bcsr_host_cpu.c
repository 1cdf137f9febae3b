/* SPDX-License-Identifier: Apache-2.0 */
/* The bcsr family on the CPU. */
#include "kernels/tcblock/tcblock_host_cpu.h"
#include "bcsr_pack.h"

const struct spmmi_backend spmmi_bcsr_cpu = SPMMI_CPU_TCBLOCKS(&spmmi_bcsr_kind);
