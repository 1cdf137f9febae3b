/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of a tiled part on the host. tiled_pack.h builds it. */
#ifndef SPMMI_TILED_LAYOUT_H
#define SPMMI_TILED_LAYOUT_H

#include "format/plan.h"
#include "tiled_kernel.h"

struct spmmi_tiled_layout {
    struct spmmi_tiled view; /* as kernels read it; points to the arrays below, values is NULL */
    uint32_t *row_block_stage, *stage_first, *columns, *warp_slice, *target;
    uint16_t *local;
    struct spmmi_tiled_split *splits;
    /* nnz entries: position in the sliced values of each nonzero of op(A) in CSR order */
    uint32_t *value_map;
};

#endif
