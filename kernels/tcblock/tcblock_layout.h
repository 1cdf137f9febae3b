/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of a part on the host. kernels/tcblock/tcblock_pack.h builds it. */
#ifndef SPMMI_TCBLOCK_LAYOUT_H
#define SPMMI_TCBLOCK_LAYOUT_H

#include "format/plan.h"
#include "tcblock_kernel.h"

struct spmmi_tcblock_layout {
    struct spmmi_tcblocks view; /* as kernels read it; points to the arrays below, values is NULL */
    uint32_t *row_of, *columns, *block_first, *masks, *value_first;
    uint8_t *locals;
    uint64_t *bitmaps;
    struct spmmi_tcblock_item *items;
    struct spmmi_tcblock_split *splits;
    /* nnz entries: position in values of each nonzero of op(A) in CSR order, SPMMI_TCBLOCK_NONE
     * for long rows. May be NULL */
    uint32_t *value_map;
};

#endif
