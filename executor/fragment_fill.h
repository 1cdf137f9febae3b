/* SPDX-License-Identifier: Apache-2.0 */
/* What one unit of the window and panel families takes in the arrays of the layout, and what it holds there. */
#ifndef SPMMI_FRAGMENT_FILL_H
#define SPMMI_FRAGMENT_FILL_H

#include "fragment_layout.h"
#include "fragment_unit.h"

#define SPMMI_FRAGMENT_HALF 8u  /* columns of a block: a step of a panel has two halves */
#define SPMMI_FRAGMENT_GROUP 8u /* windows whose blocks of a step share a mask */

struct spmmi_fragment_frame {
    const int64_t *row_ptr;
    const struct spmmi_part *part;
    struct spmmi_fragment_layout *layout;
    uint32_t width; /* columns of a step: 1 << shift */
    uint32_t shift;
    uint32_t groups; /* masks of a step; windows have none */
    uint32_t align;  /* packed values of a step are a multiple of so many */
};

/* Where a unit begins in the arrays. */
struct spmmi_fragment_place {
    uint64_t step, block, value;
};

uint32_t spmmi_fragment_steps(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit);
/* Blocks and values of one step of a unit. */
void spmmi_fragment_step_needs(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                               uint32_t step, uint32_t *blocks, uint32_t *values);
/* Everything of unit u but its items. The bitmaps are zero before. */
void spmmi_fragment_fill(const struct spmmi_fragment_frame *f, const struct spmmi_fragment_unit *unit,
                         uint32_t u, struct spmmi_fragment_place place);

#endif
