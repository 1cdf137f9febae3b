/* SPDX-License-Identifier: Apache-2.0 */
/* The packed layout of a part on the host: kernels/tcblock/fragment_pack.h makes it. */
#ifndef SPMMI_FRAGMENT_LAYOUT_H
#define SPMMI_FRAGMENT_LAYOUT_H

#include "format/plan.h"
#include "fragment_kernel.h"

struct spmmi_fragment_layout {
    struct spmmi_fragments view; /* as kernels read it: points to the arrays below; values is NULL */
    uint32_t *row_of, *columns, *block_first, *masks, *value_first;
    uint8_t *locals;
    uint64_t *bitmaps;
    struct spmmi_fragment_item *items;
    struct spmmi_fragment_split *splits;
    uint32_t
        *value_map; /* nnz: place in values of each nonzero of op(A) in CSR order; of peeled rows: none */
};

#endif
