/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the dense products of few columns that the family multiplies itself, and divides their work; used
 * by kernels and predictions. */
#ifndef SPMMI_DENSE_NARROW_SHAPE_H
#define SPMMI_DENSE_NARROW_SHAPE_H

#include <stdint.h>

#include "dense_shape.h"

#define SPMMI_DENSE_NARROW_TARGET 90      /* lowest compute capability with clusters */
#define SPMMI_DENSE_NARROW_WARPS 8u       /* warps of a thread block, which share its steps */
#define SPMMI_DENSE_NARROW_ROWS 16u       /* rows of a warp of height 1 */
#define SPMMI_DENSE_NARROW_STEP_BYTES 64u /* bytes of a row of A per step */
#define SPMMI_DENSE_NARROW_STEPS_MAX 24u  /* per warp; for longer rows the library splits k further */
#define SPMMI_DENSE_NARROW_SHARES_MAX 8u /* thread blocks of a cluster, which share the steps of their rows */
/* Maximum columns of B for which these kernels were faster than the library, whose products need a check
 * of C afterwards (docs/decisions/0097): for 3xtf32, f64 and 16 bits. The last two need row-major B; f64
 * also has a maximum of rows. */
#define SPMMI_DENSE_NARROW_COLUMNS_MAX 192
#define SPMMI_DENSE_NARROW_COLUMNS_F64 32
#define SPMMI_DENSE_NARROW_COLUMNS_16_BITS 8
#define SPMMI_DENSE_NARROW_ROWS_F64 512
#define SPMMI_DENSE_NARROW_WIDEST 32u /* columns of the widest tile */

struct spmmi_dense_narrow {
    uint32_t rows, value_bytes, multiprocessors, is_columns; /* is_columns: B is column-major */
    uint64_t lda;                                            /* elements from a row of A to the next */
    int64_t n;
};

struct spmmi_dense_narrow_shape {
    uint32_t columns;               /* columns of a tile; 0: other kernels multiply */
    uint32_t height;                /* rows of a warp / 16 */
    uint32_t groups, tiles, shares; /* parts of the rows, columns, steps: one thread block for each triple */
};

static inline uint64_t spmmi_dense_narrow_steps(const struct spmmi_dense_narrow *p)
{
    return (p->lda * p->value_bytes + SPMMI_DENSE_NARROW_STEP_BYTES - 1) / SPMMI_DENSE_NARROW_STEP_BYTES;
}

static inline int spmmi_dense_narrow_may(const struct spmmi_dense_narrow *p)
{
    if (p->lda == 0 || p->rows == 0 || p->n > SPMMI_DENSE_NARROW_COLUMNS_MAX)
        return 0;
    if (p->value_bytes == 4)
        return 1;
    return !p->is_columns && (p->value_bytes == 2 ? p->n <= SPMMI_DENSE_NARROW_COLUMNS_16_BITS
                                                  : p->n <= SPMMI_DENSE_NARROW_COLUMNS_F64 &&
                                                        p->rows <= SPMMI_DENSE_NARROW_ROWS_F64);
}

static inline uint32_t spmmi_dense_narrow_groups(uint32_t rows, uint32_t height)
{
    return (rows - 1) / (SPMMI_DENSE_NARROW_ROWS * height) + 1;
}

/* Returns the number of shares of k. Doubles it while multiprocessors are idle and each warp keeps more than
 * two steps; then, up to two thread blocks per multiprocessor, while a warp keeps at least `least` steps,
 * since a cluster starts later than a single thread block. The constants here and in spmmi_dense_narrow were
 * the fastest for five layers (docs/decisions/0097). */
static inline uint32_t spmmi_dense_narrow_shares(uint64_t steps, uint64_t blocks, uint32_t columns,
                                                 const struct spmmi_dense_narrow *p)
{
    const uint64_t filled = (uint64_t)p->multiprocessors * 9 / 10, most = 2 * (uint64_t)p->multiprocessors;
    const uint64_t least = columns == SPMMI_DENSE_NARROW_WIDEST ? 8 : p->is_columns ? 3 : 4;
    uint32_t shares = 1;
    while (shares < SPMMI_DENSE_NARROW_SHARES_MAX) {
        const uint64_t warps = 2 * (uint64_t)shares * SPMMI_DENSE_NARROW_WARPS;
        if (shares * blocks < filled ? steps <= 2 * warps
                                     : steps < least * warps || 2 * shares * blocks > most)
            break;
        shares *= 2;
    }
    return shares;
}

/* Returns the number of values of B that a lane loads at a time for tiles of this many columns: whole words
 * of a column, or the values of a row that its MMAs use. */
static inline int64_t spmmi_dense_narrow_vector(const struct spmmi_dense_narrow *p, uint32_t columns)
{
    const uint32_t most = SPMMI_DENSE_ROW_BYTES / p->value_bytes, own = columns / 8;
    return p->is_columns || own > most ? most : own;
}

/* Returns the columns of a tile. For column-major B of up to 32 columns two tiles are faster than one. */
static inline uint32_t spmmi_dense_narrow_columns(const struct spmmi_dense_narrow *p)
{
    const uint32_t half = SPMMI_DENSE_NARROW_WIDEST / 2;
    if (p->n <= 8)
        return 8;
    return p->n <= half || p->value_bytes == 8 || (p->is_columns && p->n <= SPMMI_DENSE_NARROW_WIDEST)
               ? half
               : SPMMI_DENSE_NARROW_WIDEST;
}

static inline struct spmmi_dense_narrow_shape spmmi_dense_narrow(const struct spmmi_dense_narrow *p)
{
    static const struct spmmi_dense_narrow_shape library = {0, 1, 0, 0, 1};
    const uint64_t steps = spmmi_dense_narrow_steps(p), most = 2 * (uint64_t)p->multiprocessors;
    struct spmmi_dense_narrow_shape s = library;
    if (!spmmi_dense_narrow_may(p))
        return library;
    s.columns = spmmi_dense_narrow_columns(p);
    s.tiles = (uint32_t)((p->n + s.columns - 1) / s.columns);
    s.groups = spmmi_dense_narrow_groups(p->rows, 1);
    if (s.columns == SPMMI_DENSE_NARROW_WIDEST && (p->is_columns || (uint64_t)s.groups * s.tiles > most)) {
        s.height = 2;
        s.groups = spmmi_dense_narrow_groups(p->rows, 2);
    }
    const uint64_t blocks = (uint64_t)s.groups * s.tiles;
    s.shares = spmmi_dense_narrow_shares(steps, blocks, s.columns, p);
    return blocks > 3 * (uint64_t)p->multiprocessors ||
                   steps > (uint64_t)s.shares * SPMMI_DENSE_NARROW_WARPS * SPMMI_DENSE_NARROW_STEPS_MAX
               ? library
               : s;
}

#endif
