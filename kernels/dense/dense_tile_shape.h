/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the dense products of 16-bit types that warpgroups of the family multiply, and divides their work;
 * used by kernels and predictions. */
#ifndef SPMMI_DENSE_TILE_SHAPE_H
#define SPMMI_DENSE_TILE_SHAPE_H

#include <stdint.h>

#include "kernels/shared/kernel_base.h"
#include "dense_shape.h"

#define SPMMI_DENSE_TILE_TARGET 90   /* the only compute capability with these instructions */
#define SPMMI_DENSE_TILE_STEP 64u    /* entries of k per step: lines of 128 bytes, the length of a swizzle */
#define SPMMI_DENSE_TILE_ALIGN 1024u /* alignment of stages: the swizzle depends on the address */

#define SPMMI_DENSE_TILE_BARRIER_BYTES 512u
/* Maximum shared memory of a thread block on compute capability 9.0. */
#define SPMMI_DENSE_TILE_SHARED_MAX 232448u

/* Returns the shared memory of a thread block: stages, later reused for its sums; barriers; and in a cluster
 * space for the sums of other blocks that it stores. */
SPMMI_GEOMETRY uint32_t spmmi_dense_tile_shared(uint32_t rows, uint32_t columns, uint32_t stages,
                                                uint32_t shares)
{
    return SPMMI_DENSE_TILE_ALIGN + SPMMI_DENSE_TILE_BARRIER_BYTES +
           stages * 2 * SPMMI_DENSE_TILE_STEP * (rows + columns) + 4 * rows * columns / shares * (shares - 1);
}

/* out = x * y, as in dense_tile.cuh. */
struct spmmi_dense_tile {
    uint32_t multiprocessors;
    int is_columns; /* B is column-major */
    int is_swapped; /* C is column-major too, so that out is its transpose */
    int copies_c;   /* the library would need a copy of C */
    int64_t rows, columns, k;
};

struct spmmi_dense_tile_shape {
    uint32_t rows, columns, stages; /* of a tile; columns 0: the library multiplies */
    uint32_t shares;                /* thread blocks of a cluster, which share the steps of a tile */
    uint32_t down, across;          /* number of tiles along rows and columns */
    uint32_t ns;                    /* predicted time, without the launch of an empty kernel */
};

/* Columns of this table: rows, columns, stages, shares; assumed thread blocks per multiprocessor; and
 * nanoseconds: per product; per step; per thread block on each multiprocessor; and per step of all thread
 * blocks on a multiprocessor, which share its loads. The times were fitted to 30 products of five layers, n =
 * 64 to 2,048, cold, on an H100: their root mean square error is 2.9 %, and where the rule chooses a kind it
 * takes 1.00 to 1.03 times the best time. The times of 64 rows without shares are those of prototypes plus
 * 0.2 us, the difference that other kernels have in the library (docs/decisions/0125). */
#define SPMMI_DENSE_TILE_KINDS(X)          \
    X(64, 32, 8, 1, 2, 2062, 51, 0, 67)    \
    X(64, 32, 8, 2, 2, 2652, 28, 0, 100)   \
    X(64, 32, 8, 4, 2, 2096, 100, 1529, 0) \
    X(64, 32, 8, 8, 2, 2009, 100, 845, 0)  \
    X(64, 64, 6, 1, 2, 1897, 110, 0, 65)   \
    X(64, 64, 6, 2, 2, 2840, 26, 0, 123)   \
    X(64, 128, 8, 1, 1, 2416, 145, 0, 0)   \
    X(128, 128, 6, 1, 1, 2359, 311, 0, 0)  \
    X(128, 128, 3, 1, 2, 2004, 265, 0, 207)
#define SPMMI_DENSE_TILE_MB_NS 200 /* per million bytes of A, B and C */
#define SPMMI_DENSE_TILE_LATER_NS \
    3050 /* per thread block on each multiprocessor, for blocks beyond those that run at once */

struct spmmi_dense_tile_kind {
    uint32_t rows, columns, stages, shares, counted, start, step, block, shared_step;
};
#define SPMMI_DENSE_TILE_WAVES_UNALIGNED 4 /* maximum waves of thread blocks if columns of C are unaligned */
#define SPMMI_DENSE_TILE_STEPS_MAX 64      /* per thread block: with more steps the library was faster */

static inline uint64_t spmmi_dense_tile_count(int64_t values, uint32_t of_tile)
{
    return ((uint64_t)values + of_tile - 1) / of_tile;
}

/* Returns the number of clusters that run at once. Clusters of more than two blocks leave multiprocessors
 * idle: a cluster runs inside a group of multiprocessors, whose size is not a multiple of the cluster's. */
static inline uint64_t spmmi_dense_tile_clusters(uint64_t blocks, uint32_t shares)
{
    return shares > 2 ? blocks * 10 / (11 * shares + 1) : blocks / shares;
}

static inline uint64_t spmmi_dense_tile_bytes(const struct spmmi_dense_tile *p)
{
    return 2 * ((uint64_t)p->rows * (uint64_t)p->k + (uint64_t)p->k * (uint64_t)p->columns +
                (uint64_t)p->rows * (uint64_t)p->columns);
}

/* Returns the predicted nanoseconds of this kind; 0: it cannot be used, since there are too many thread
 * blocks, or one has too many steps, or one of a cluster fewer than two. */
static inline uint64_t spmmi_dense_tile_ns(const struct spmmi_dense_tile *p,
                                           const struct spmmi_dense_tile_kind *kind)
{
    const uint64_t steps = spmmi_dense_tile_count(p->k, SPMMI_DENSE_TILE_STEP), all = p->multiprocessors;
    const uint64_t tiles =
        spmmi_dense_tile_count(p->rows, kind->rows) * spmmi_dense_tile_count(p->columns, kind->columns);
    const uint64_t blocks = tiles * kind->shares, own = (steps + kind->shares - 1) / kind->shares;
    const uint64_t at_once = blocks > all ? blocks : all;
    const uint64_t waves = p->copies_c && kind->shares == 1 ? SPMMI_DENSE_TILE_WAVES_UNALIGNED : 1;
    const uint64_t first = all * kind->counted, later = blocks > first ? blocks - first : 0;
    if (own > SPMMI_DENSE_TILE_STEPS_MAX ||
        tiles > waves * spmmi_dense_tile_clusters(all * kind->counted, kind->shares) ||
        (kind->shares > 1 && steps < 2 * (uint64_t)kind->shares))
        return 0;
    return kind->start + own * kind->step + (blocks * kind->block + own * at_once * kind->shared_step) / all +
           later * SPMMI_DENSE_TILE_LATER_NS / all +
           spmmi_dense_tile_bytes(p) * SPMMI_DENSE_TILE_MB_NS / 1000000;
}

/* Returns 0 if the library was faster, including the kernel that follows it: with many tiles, or with
 * long k and more than a few tiles. If k is not a multiple of 8, more tiles are allowed: the library is
 * slow, or B is copied first. */
#define SPMMI_DENSE_TILE_SHORT_K 1024
#define SPMMI_DENSE_TILE_WORK_MAX 20 /* steps of tiles of 64 x 64 per multiprocessor, if k is not short */

static inline int spmmi_dense_tile_may(const struct spmmi_dense_tile *p)
{
    const int is_unaligned = spmmi_dense_is_unaligned(p->k, 2);
    const uint64_t all = p->multiprocessors, steps = spmmi_dense_tile_count(p->k, SPMMI_DENSE_TILE_STEP);
    if (p->rows < 1 || p->columns < 1 || p->k < 1 || (p->is_swapped && !p->is_columns))
        return 0;
    if (spmmi_dense_tile_count(p->rows, 128) * spmmi_dense_tile_count(p->columns, 128) >
        all * (p->copies_c    ? 2 * SPMMI_DENSE_TILE_WAVES_UNALIGNED
               : is_unaligned ? 2
                              : 1))
        return 0;
    return p->k <= SPMMI_DENSE_TILE_SHORT_K ||
           spmmi_dense_tile_count(p->rows, 64) * spmmi_dense_tile_count(p->columns, 64) * steps <=
               SPMMI_DENSE_TILE_WORK_MAX * all;
}

static inline struct spmmi_dense_tile_shape spmmi_dense_tile(const struct spmmi_dense_tile *p)
{
#define X(rows, columns, stages, shares, counted, start, step, block, shared_step) \
    {rows, columns, stages, shares, counted, start, step, block, shared_step},
    static const struct spmmi_dense_tile_kind kinds[] = {SPMMI_DENSE_TILE_KINDS(X)};
#undef X
    struct spmmi_dense_tile_shape best = {0, 0, 0, 0, 0, 0, UINT32_MAX};
    if (!spmmi_dense_tile_may(p))
        return best;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct spmmi_dense_tile_kind *const kind = &kinds[i];
        const uint64_t ns = spmmi_dense_tile_ns(p, kind);
        if (ns > 0 && ns < best.ns)
            best = (struct spmmi_dense_tile_shape){
                .rows = kind->rows,
                .columns = kind->columns,
                .stages = kind->stages,
                .shares = kind->shares,
                .down = (uint32_t)spmmi_dense_tile_count(p->rows, kind->rows),
                .across = (uint32_t)spmmi_dense_tile_count(p->columns, kind->columns),
                .ns = (uint32_t)ns};
    }
    return best;
}

#endif
