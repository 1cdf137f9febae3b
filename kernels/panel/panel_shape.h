/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of panels, for plans, kernels and predictions. */
#ifndef SPMMI_PANEL_SHAPE_H
#define SPMMI_PANEL_SHAPE_H

#include "kernels/tcblock/fragment_shape.h"

/* Shared memory of a block of threads of a panel kernel: b_bytes of rows of B, then the blocks of a step; all of it
 * follows from the largest step. */
struct spmmi_panel_stage {
    uint32_t locals, bitmaps,
        offsets; /* where they begin; offsets: of the first value of each block, packed */
    uint32_t bytes;
};
static inline SPMMI_HOST_DEVICE struct spmmi_panel_stage
spmmi_panel_stage(uint32_t b_bytes, uint32_t number_bytes, int is_packed, uint32_t blocks, uint32_t values)
{
    struct spmmi_panel_stage s;
    const uint32_t numbers = is_packed ? values : blocks * SPMMI_FRAGMENT_NUMBERS;
    s.locals = b_bytes + (numbers * number_bytes + 15) / 16 * 16;
    s.bitmaps = s.locals + 8 * blocks;
    s.offsets = s.bitmaps + (is_packed ? 8 * blocks : 0);
    s.bytes = s.offsets + (is_packed ? 4 * blocks : 0);
    return s;
}
/* b_bytes of the narrowest tile: a part whose stage is too large for the device with these has no kernel. */
#define SPMMI_PANEL_B_LEAST (SPMMI_FRAGMENT_PANEL_STEP * 160u)

#endif
