/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry of the row blocks of the panel family, for plans, kernels and predictions. */
#ifndef SPMMI_PANEL_SHAPE_H
#define SPMMI_PANEL_SHAPE_H

#include "kernels/tcblock/tcblock_shape.h"

/* Shared memory of a thread block of panel: b_bytes of rows of B, then the blocks of a step, then the barrier
 * at which the copy of their values ends. The largest step determines all sizes. */
struct spmmi_panel_stage {
    uint32_t locals, bitmaps,
        offsets; /* byte offsets of the arrays; `offsets` is the first value of each packed block */
    uint32_t barrier, bytes;
};
static inline SPMMI_HOST_DEVICE struct spmmi_panel_stage
spmmi_panel_stage(uint32_t b_bytes, uint32_t value_bytes, int is_packed, uint32_t blocks, uint32_t values)
{
    struct spmmi_panel_stage s;
    const uint32_t stored = is_packed ? values : blocks * SPMMI_TCBLOCK_VALUES;
    s.locals = b_bytes + (stored * value_bytes + 15) / 16 * 16;
    s.bitmaps = s.locals + SPMMI_TCBLOCK_LOCAL_BYTES * blocks;
    s.offsets = s.bitmaps + (is_packed ? 8 * blocks : 0);
    s.barrier = (s.bitmaps + (is_packed ? SPMMI_TCBLOCK_MAP_BYTES * blocks : 0) + 7) / 8 * 8;
    s.bytes = s.barrier + 8;
    return s;
}
/* b_bytes of the narrowest tile. A part whose stage does not fit the device even
 * with this tile has no kernel. */
#define SPMMI_PANEL_B_MIN (SPMMI_TCBLOCK_PANEL_STEP * 160u)

/* Shape of a thread block: one warp per window; all warps multiply by the same tile of columns. */
struct spmmi_panel_shape {
    uint32_t columns; /* columns of the tile: for each pair two MMAs of 8 columns */
    uint32_t windows; /* windows of a row block */
    uint32_t threads;
    uint32_t is_wide;  /* B is copied 16 bytes at a time, else value by value */
    uint32_t b_bytes;  /* bytes of the rows of B of a step in shared memory */
    uint32_t resident; /* thread blocks per multiprocessor with one stage (launch bounds) */
    uint32_t stages;   /* steps that are copied or multiplied at once */
};

/* Returns the distance, in bytes, between rows of B in shared memory. */
SPMMI_GEOMETRY uint32_t spmmi_panel_pitch(uint32_t columns, uint32_t value_bytes)
{
    return spmmi_tcblock_pitch(columns * value_bytes);
}

/* Returns the thread blocks per multiprocessor; the constants are for 8 windows. MMAs of doubles need more
 * registers; 16-bit values leave some free. */
SPMMI_GEOMETRY uint32_t spmmi_panel_resident(uint32_t columns, uint32_t value_bytes, uint32_t windows)
{
    const int has_many = columns / 16 * spmmi_tcblock_sum_bytes(value_bytes) >= 32;
    const uint32_t many = value_bytes == 2 ? 3 : 2, few = value_bytes == 8 ? 3 : 4;
    return (has_many ? many : few) * 8 / windows;
}

static inline struct spmmi_panel_shape spmmi_panel_shape_of(uint32_t columns, uint32_t value_bytes,
                                                            uint32_t windows, uint32_t is_wide)
{
    const struct spmmi_panel_shape shape = {columns,
                                            windows,
                                            32 * windows,
                                            is_wide,
                                            SPMMI_TCBLOCK_PANEL_STEP *
                                                spmmi_panel_pitch(columns, value_bytes),
                                            spmmi_panel_resident(columns, value_bytes, windows),
                                            1};
    return shape;
}

/* The properties of a part that decide its launch. Predictions have only means. */
struct spmmi_panel_load {
    uint32_t value_bytes, windows, is_packed;
    double blocks, steps, items;
    double multiprocessors;
    uint32_t step_blocks, step_values; /* blocks and values of the fullest step */
};

static inline struct spmmi_panel_stage spmmi_panel_stage_of(const struct spmmi_panel_load *load,
                                                            const struct spmmi_panel_shape *shape)
{
    return spmmi_panel_stage(shape->b_bytes, load->value_bytes, (int)load->is_packed, load->step_blocks,
                             load->step_values);
}

static inline int spmmi_panel_fits(const struct spmmi_panel_load *load, const struct spmmi_panel_shape *shape,
                                   uint32_t shared_max)
{
    return spmmi_panel_stage_of(load, shape).bytes <= shared_max;
}

/* Thread blocks with two stages (panel_ring.cuh): row blocks of 64 rows, tiles of at most 64 columns. */
#define SPMMI_PANEL_RING_STAGES 2u
#define SPMMI_PANEL_RING_RESIDENT 2u
#define SPMMI_PANEL_RING_WINDOWS 8u
#define SPMMI_PANEL_RING_COLUMNS 64u
#define SPMMI_PANEL_BLOCK_BYTES \
    1024u /* bytes of shared memory that CUDA reserves for each thread block except the first */

/* Returns true if there is code with two stages for such thread blocks. */
SPMMI_GEOMETRY int spmmi_panel_has_ring_code(uint32_t columns, uint32_t value_bytes, uint32_t windows)
{
    return value_bytes <= 4 && windows == SPMMI_PANEL_RING_WINDOWS && columns <= SPMMI_PANEL_RING_COLUMNS;
}

/* Returns the distance between stages in bytes. */
static inline SPMMI_HOST_DEVICE uint32_t spmmi_panel_ring_pitch(const struct spmmi_panel_stage *stage)
{
    return (stage->bytes + 127) / 128 * 128;
}

/* Returns the shared memory of all stages and their barriers, which take 16 bytes per stage. */
static inline uint32_t spmmi_panel_ring_bytes(const struct spmmi_panel_stage *stage)
{
    return SPMMI_PANEL_RING_STAGES * (spmmi_panel_ring_pitch(stage) + 16);
}

/* Returns true if two stages pay. Two such thread blocks replace four with one stage, or one replaces two.
 * Two stages pay if all thread blocks run at once, because with one stage each would wait for its copies
 * alone. For f32 they also pay if two thread blocks fit and one tile covers n: with a tile of 64 columns, or
 * with a narrow tile if three waves of two thread blocks replace two waves of four (docs/decisions/0104). */
static inline int spmmi_panel_has_ring(const struct spmmi_panel_load *load,
                                       const struct spmmi_panel_shape *shape, uint32_t n, uint32_t shared_max)
{
    const struct spmmi_panel_stage stage = spmmi_panel_stage_of(load, shape);
    const uint32_t bytes = spmmi_panel_ring_bytes(&stage);
    const uint32_t fit = bytes > shared_max ? 0
                         : SPMMI_PANEL_RING_RESIDENT * bytes + SPMMI_PANEL_BLOCK_BYTES > shared_max
                             ? 1
                             : SPMMI_PANEL_RING_RESIDENT;
    const uint32_t tiles = (n + shape->columns - 1) / shape->columns;
    const double slots = fit * load->multiprocessors, blocks = load->items * tiles;
    if (!spmmi_panel_has_ring_code(shape->columns, load->value_bytes, load->windows) || fit == 0)
        return 0;
    if (blocks <= slots)
        return 1;
    return load->value_bytes == 4 && fit == SPMMI_PANEL_RING_RESIDENT && tiles == 1 &&
           (shape->columns == SPMMI_PANEL_RING_COLUMNS || (blocks > 2 * slots && blocks <= 3 * slots));
}

/* From this number of items per multiprocessor on, the thread blocks of a single tile keep it busy: wide
 * tiles lost with 1.9 and gain with 5.8 (docs/decisions/0104). */
#define SPMMI_PANEL_MANY 4.0

/* Returns the columns of the tile: the widest tile that n fills. The second widest is used if there are
 * few items (row blocks, or parts of split ones) and few blocks (less than half of the maximum of a
 * step). Then more thread blocks gain more than one pass less over the blocks. Tiles of 8-byte values are
 * half as wide, and always the widest. */
static inline uint32_t spmmi_panel_columns(const struct spmmi_panel_load *load, uint32_t n)
{
    const uint32_t narrow = load->value_bytes == 8 ? 16 : 32;
    const int has_few = load->value_bytes != 8 && load->blocks < 8.0 * load->windows * load->steps &&
                        load->items < SPMMI_PANEL_MANY * load->multiprocessors;
    return n <= narrow ? narrow : n < 4 * narrow || has_few ? 2 * narrow : 4 * narrow;
}

/* Returns the shape of a launch. A stage must fit into shared_max; the stage of the narrowest tile does,
 * otherwise the part would have been refused. */
static inline struct spmmi_panel_shape spmmi_panel_launch(const struct spmmi_panel_load *load, uint32_t n,
                                                          int is_wide, uint32_t shared_max)
{
    const uint32_t narrow = load->value_bytes == 8 ? 16 : 32;
    uint32_t columns = is_wide ? spmmi_panel_columns(load, n) : narrow;
    struct spmmi_panel_shape shape;
    for (;; columns /= 2) {
        shape = spmmi_panel_shape_of(columns, load->value_bytes, load->windows, is_wide != 0);
        if (columns == narrow || spmmi_panel_fits(load, &shape, shared_max))
            break;
    }
    if (is_wide && spmmi_panel_has_ring(load, &shape, n, shared_max))
        shape.stages = SPMMI_PANEL_RING_STAGES;
    return shape;
}

#endif
