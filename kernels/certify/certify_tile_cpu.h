/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a dense matrix as doubles, and their projections, for a certificate on the CPU. */
#ifndef SPMMI_CERTIFY_TILE_CPU_H
#define SPMMI_CERTIFY_TILE_CPU_H

#include "certify_level.h"
#include "executor/product.h"

#define SPMMI_CERTIFY_TILE_ROWS 32
#define SPMMI_CERTIFY_TILE_COLUMNS 64
#define SPMMI_CERTIFY_LANES_MAX 64

/* The memory of one thread. */
struct spmmi_certify_tile {
    double values[SPMMI_CERTIFY_TILE_ROWS][SPMMI_CERTIFY_TILE_COLUMNS];
    double signs[SPMMI_CERTIFY_TILE_COLUMNS * SPMMI_CERTIFY_LANES_MAX];
    double rests[SPMMI_CERTIFY_TILE_COLUMNS]; /* of a row of values */
};

/* to[l] = element l * step of an array of this type, for l = 0 .. count - 1. */
void spmmi_certify_widen(spmm_dtype_t dtype, const void *from, int64_t step, int64_t count, double *to);

/* Projects rows first .. first + count - 1 of d, at most SPMMI_CERTIFY_TILE_ROWS, into records at, at + 1, ..
 * of `to`. */
void spmmi_certify_project(const struct spmmi_certify_level *level, const spmm_dense_t *d, int64_t first,
                           int64_t count, uint64_t seed, struct spmmi_certify_tile *tile,
                           const struct spmmi_certify_projection *to, int64_t at);

#endif
