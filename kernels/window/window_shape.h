/* SPDX-License-Identifier: Apache-2.0 */
/* Launch shapes of the window family, for kernels and predictions. */
#ifndef SPMMI_WINDOW_SHAPE_H
#define SPMMI_WINDOW_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_WINDOW_WARPS 8u /* warps per thread block, each with its own item */

/* Eight lanes share the columns of a tile. */
struct spmmi_window_shape {
    uint32_t columns;       /* columns of the tile: 8 * width * repeat */
    uint32_t width, repeat; /* neighbouring columns per lane, and number of such groups per lane */
    uint32_t unroll;        /* steps in flight */
    uint32_t is_wide;       /* neighbouring columns are loaded at once, else one by one */
};

static inline struct spmmi_window_shape spmmi_window_shape_of(uint32_t width, uint32_t repeat,
                                                              uint32_t unroll, uint32_t is_wide)
{
    const struct spmmi_window_shape shape = {8 * width * repeat, width, repeat, unroll, is_wide};
    return shape;
}

/* Returns the shape for n columns. is_wide: rows of B are aligned to 16 bytes, and n values fill whole words
 * of 16 bytes. Then each lane loads 8 bytes of a row (values of 8 bytes: 16) if those of eight lanes cover n,
 * else 16 bytes if they do, else two groups of 16 bytes. If not is_wide, a lane loads the columns of 8 bytes
 * (two columns of 8-byte values) one by one. */
static inline struct spmmi_window_shape spmmi_window_launch(uint32_t n, uint32_t value_bytes, int is_wide)
{
    const uint32_t whole = 16 / value_bytes, half = whole > 2 ? whole / 2 : whole;
    if (!is_wide)
        return spmmi_window_shape_of(half, 1, 1, 0);
    if (n <= 8 * half)
        return spmmi_window_shape_of(half, 1, 2, 1);
    return n <= 8 * whole ? spmmi_window_shape_of(whole, 1, 2, 1) : spmmi_window_shape_of(whole, 2, 1, 1);
}

#endif
