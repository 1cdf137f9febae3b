/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline of "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs", as printed:
 * intensities in floating-point operations a byte of DRAM traffic, and the roofline. docs/model.md explains it. */
#ifndef SPMMI_ROOFLINE_H
#define SPMMI_ROOFLINE_H

#include <spmm/plan.h>

#include "device_profile.h"

#define SPMMI_ROOFLINE_REGISTER_TILE 16.0 /* the paper's R */

/* Symbols of Table 1. */
struct spmmi_roofline {
    double b_t, b_is, b_i, delta; /* bytes of a value, a local index, an index, metadata of a thread */
    double r, rho, z;             /* register tiling, reuse from shared memory, padding */
    double mu, mu_star;           /* nonzeros a row, and a unit after rows were cut */
    double c, l;                  /* penalty and reward of Eq. 4 */
};
/* Of a matrix and its row blocks, for R = register_tile; lines of 64 bytes, as the paper counts them. row blocks may be
 * NULL: only Eq. 2 is meaningful then. */
struct spmmi_roofline spmmi_roofline_of(const spmm_matrix_stats_t *stats,
                                        const spmm_row_block_metrics_t *row_blocks, spmm_dtype_t dtype,
                                        double register_tile);

enum spmmi_roofline_bound {
    SPMMI_ROOFLINE_ALGORITHMIC, /* caches and sectors left out: Gamma = 1 */
    SPMMI_ROOFLINE_ALL_MISS,    /* each access a line from DRAM: Gamma = C, L = 1 */
    SPMMI_ROOFLINE_COLD_MISS    /* each line once: Gamma = C / L */
};
double spmmi_roofline_naive(const struct spmmi_roofline *s);                                  /* Eq. 2 */
double spmmi_roofline_gamma(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound); /* Eq. 4 */
double spmmi_roofline_tiled(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound); /* Eq. 3 */
/* Eq. 6; printed with C, the all-miss bound; the other bounds use their Gamma instead. */
double spmmi_roofline_segmented(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound);

/* Roofline: min(peak, intensity * bandwidth), operations a second; and the time of 2 nnz n operations. */
double spmmi_roofline_throughput(const struct spmmi_device_profile *profile, double intensity);
double spmmi_roofline_seconds(const struct spmmi_device_profile *profile, double intensity, double nnz,
                              double n);

#endif
