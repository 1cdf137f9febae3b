/* SPDX-License-Identifier: Apache-2.0 */
/* Which dense products of 16-bit types warpgroups of the family multiply, and how these are divided: for kernels and
 * predictions. */
#ifndef SPMMI_DENSE_TILE_SHAPE_H
#define SPMMI_DENSE_TILE_SHAPE_H

#include <stdint.h>

#include "kernels/shared/kernel_base.h"
#include "dense_shape.h"

#define SPMMI_DENSE_TILE_TARGET 90     /* the one capability that has these instructions */
#define SPMMI_DENSE_TILE_STEP 64u      /* of k: lines of 128 bytes, as long as a swizzle */
#define SPMMI_DENSE_TILE_ALIGN 1024u   /* of stages: the swizzle depends on the address */
#define SPMMI_DENSE_TILE_SHARES_MAX 8u /* thread blocks of a cluster, which share the steps of a tile */

#define SPMMI_DENSE_TILE_BARRIER_BYTES 512u
/* Of a thread block of capability 9.0. */
#define SPMMI_DENSE_TILE_SHARED_MAX 232448u

/* Shared memory of a thread block: stages, in whose place its sums come, barriers, and in a cluster the sums of rows
 * that it stores: a row more of each share where shares do not divide the rows. */
SPMMI_GEOMETRY uint32_t spmmi_dense_tile_shared(uint32_t rows, uint32_t columns, uint32_t stages,
                                                uint32_t shares)
{
    return SPMMI_DENSE_TILE_ALIGN + SPMMI_DENSE_TILE_BARRIER_BYTES +
           stages * 2 * SPMMI_DENSE_TILE_STEP * (rows + columns) +
           (shares > 1 ? 4 * (rows + SPMMI_DENSE_TILE_SHARES_MAX) * (columns + 8) : 0);
}

/* out = x * y, as in dense_tile.cuh. */
struct spmmi_dense_tile {
    uint32_t multiprocessors;
    int is_columns; /* B is column-major */
    int is_swapped; /* and C is, so that out is its transpose */
    int copies_c;   /* the library would need a copy of C */
    int64_t rows, columns, k;
};

struct spmmi_dense_tile_shape {
    uint32_t rows, columns, stages; /* of a tile; 0: the library multiplies */
    uint32_t down, across;          /* tiles */
    uint32_t shares;                /* of the steps of a tile: thread blocks of a cluster */
    uint32_t ns;                    /* predicted, beside the launch of an empty kernel */
};

/* Thread blocks of a multiprocessor that are counted with, alone and of clusters (0: not in clusters), and nanoseconds:
 * of any product, of a step, of a thread block for each multiprocessor, and of a step for each, which they all load
 * for. Nanoseconds were fitted to 195 products of six layers, n = 64 to 2,048, cold, on an H100: 7 % root mean square;
 * start of 64 x 64 was fitted as 1,440, which chose wrongly four times, and set to 1,700 (docs/decisions/0102). */
struct spmmi_dense_tile_kind {
    uint32_t rows, columns, stages, counted, counted_of_cluster, start, step, block, shared_step;
};
#define SPMMI_DENSE_TILE_CLUSTER_NS 1470
#define SPMMI_DENSE_TILE_WAVES_UNALIGNED 4 /* of thread blocks, where columns of C begin anywhere */
#define SPMMI_DENSE_TILE_STEPS_MAX 64      /* of a thread block: of more the library was faster */

static inline uint64_t spmmi_dense_tile_count(int64_t values, uint32_t of_tile)
{
    return ((uint64_t)values + of_tile - 1) / of_tile;
}

/* Clusters that run at once: of more than two they leave multiprocessors idle, as groups of these are no multiples. */
static inline uint64_t spmmi_dense_tile_clusters(uint64_t blocks, uint32_t shares)
{
    return shares > 2 ? blocks * 10 / (11 * shares + 1) : blocks / shares;
}

/* 0: not so, as not all thread blocks are counted to run at once, or one has too many steps, or one of a cluster less
 * than two. */
static inline uint64_t spmmi_dense_tile_ns(const struct spmmi_dense_tile *p,
                                           const struct spmmi_dense_tile_kind *kind, uint32_t shares)
{
    const uint64_t steps = spmmi_dense_tile_count(p->k, SPMMI_DENSE_TILE_STEP), all = p->multiprocessors;
    const uint64_t tiles =
        spmmi_dense_tile_count(p->rows, kind->rows) * spmmi_dense_tile_count(p->columns, kind->columns);
    const uint64_t counted = shares > 1 ? kind->counted_of_cluster : kind->counted;
    const uint64_t blocks = tiles * shares, own = (steps + shares - 1) / shares;
    const uint64_t at_once = blocks > all ? blocks : all;
    const uint64_t waves = p->copies_c && shares == 1 ? SPMMI_DENSE_TILE_WAVES_UNALIGNED : 1;
    if (own > SPMMI_DENSE_TILE_STEPS_MAX ||
        tiles > waves * spmmi_dense_tile_clusters(all * counted, shares) ||
        (shares > 1 && steps < 2 * (uint64_t)shares))
        return 0;
    return kind->start + own * kind->step + (blocks * kind->block + own * at_once * kind->shared_step) / all +
           (shares > 1 ? SPMMI_DENSE_TILE_CLUSTER_NS : 0);
}

/* Not where the library was faster, with the kernel behind it: many tiles, or long k and not few of them. Where k is no
 * multiple of 8 the library is slow, or B is copied before. */
#define SPMMI_DENSE_TILE_SHORT_K 1024
#define SPMMI_DENSE_TILE_WORK_MAX 10 /* steps of tiles of 64 x 64, a multiprocessor; where k is not short */
#define SPMMI_DENSE_TILE_WORK_MAX_UNALIGNED 18

static inline int spmmi_dense_tile_may(const struct spmmi_dense_tile *p)
{
    const int is_unaligned = spmmi_dense_is_unaligned(p->k, 2);
    const uint64_t all = p->multiprocessors, steps = spmmi_dense_tile_count(p->k, SPMMI_DENSE_TILE_STEP);
    const uint64_t most = is_unaligned ? SPMMI_DENSE_TILE_WORK_MAX_UNALIGNED : SPMMI_DENSE_TILE_WORK_MAX;
    if (p->rows < 1 || p->columns < 1 || p->k < 1 || (p->is_swapped && !p->is_columns))
        return 0;
    if (spmmi_dense_tile_count(p->rows, 128) * spmmi_dense_tile_count(p->columns, 128) >
        all * (p->copies_c    ? 2 * SPMMI_DENSE_TILE_WAVES_UNALIGNED
               : is_unaligned ? 2
                              : 1))
        return 0;
    return p->k <= SPMMI_DENSE_TILE_SHORT_K ||
           spmmi_dense_tile_count(p->rows, 64) * spmmi_dense_tile_count(p->columns, 64) * steps <= most * all;
}

static inline struct spmmi_dense_tile_shape spmmi_dense_tile(const struct spmmi_dense_tile *p)
{
    /* Of 64 x 32 in clusters, two would fit a multiprocessor; that was not measured. */
    static const struct spmmi_dense_tile_kind kinds[] = {{64, 32, 8, 2, 1, 1260, 110, 850, 63},
                                                         {64, 64, 6, 2, 1, 1700, 200, 960, 36},
                                                         {128, 128, 6, 1, 0, 2820, 300, 1840, 0},
                                                         {128, 128, 3, 2, 0, 2030, 520, 3050, 0}};
    struct spmmi_dense_tile_shape best = {0, 0, 0, 0, 0, 0, UINT32_MAX};
    if (!spmmi_dense_tile_may(p))
        return best;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t shares = 1; shares <= SPMMI_DENSE_TILE_SHARES_MAX; shares += shares < 4 ? 1 : 4) {
            const uint64_t ns = spmmi_dense_tile_ns(p, &kinds[i], shares);
            if (ns == 0 || ns >= best.ns)
                continue;
            best = (struct spmmi_dense_tile_shape){
                .rows = kinds[i].rows,
                .columns = kinds[i].columns,
                .stages = kinds[i].stages,
                .down = (uint32_t)spmmi_dense_tile_count(p->rows, kinds[i].rows),
                .across = (uint32_t)spmmi_dense_tile_count(p->columns, kinds[i].columns),
                .shares = shares,
                .ns = (uint32_t)ns};
        }
    return best;
}

#endif
