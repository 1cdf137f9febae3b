/* SPDX-License-Identifier: Apache-2.0 */
/* How the window family is launched, for kernels and predictions. */
#ifndef SPMMI_WINDOW_SHAPE_H
#define SPMMI_WINDOW_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_WINDOW_WARPS 8u /* of a thread block, with an item each */

/* 8 lanes beside each other have a tile of columns. */
struct spmmi_window_shape {
    uint32_t columns;       /* of the tile: 8 width repeat */
    uint32_t width, repeat; /* columns that a lane has side by side, and how often */
    uint32_t unroll;        /* steps in flight */
    uint32_t is_wide;       /* these columns are loaded at once, else one by one */
};

static inline struct spmmi_window_shape spmmi_window_shape_of(uint32_t width, uint32_t repeat,
                                                              uint32_t unroll, uint32_t is_wide)
{
    const struct spmmi_window_shape shape = {8 * width * repeat, width, repeat, unroll, is_wide};
    return shape;
}

/* Lanes load 16 bytes where n has as many for all of them, else 8; where it has twice as many they do so twice.
 * is_wide: rows of B are aligned to 16 bytes, and n values fill whole words of 16 bytes. */
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
