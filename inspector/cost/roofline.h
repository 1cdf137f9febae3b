/* SPDX-License-Identifier: Apache-2.0 */
/* The roofline model of "Optimizing Tiled Sparse Matrix Multiplication with Performance Modeling on GPUs"
 * (paper 000), as printed. Intensities are floating-point operations per byte of DRAM traffic. docs/model.md
 * explains the model. */
#ifndef SPMMI_ROOFLINE_H
#define SPMMI_ROOFLINE_H

#include <spmm/plan.h>

#include "device_profile.h"

#define SPMMI_ROOFLINE_REGISTER_TILE 16.0 /* the paper's R */

/* The symbols of Table 1. */
struct spmmi_roofline {
    double b_t, b_is, b_i, delta; /* bytes of a value, a local index, an index, the metadata of a thread */
    double r, rho, z;             /* register tile, reuse from shared memory, padding */
    double mu, mu_star;           /* mean nonzeros per row, and per unit if rows are cut */
    double c, l;                  /* line cost C and reuse L of Eq. 4 */
};
/* Returns the symbols for a matrix and its row blocks, with R = register_tile and cache lines of 64 bytes, as
 * in the paper. row_blocks may be NULL; then only Eq. 2 is meaningful. */
struct spmmi_roofline spmmi_roofline_of(const spmm_matrix_stats_t *stats,
                                        const spmm_row_block_metrics_t *row_blocks, spmm_dtype_t dtype,
                                        double register_tile);

enum spmmi_roofline_bound {
    SPMMI_ROOFLINE_ALGORITHMIC, /* ignores caches and lines: Gamma = 1 */
    SPMMI_ROOFLINE_ALL_MISS,    /* each access loads a line from DRAM: Gamma = C, L = 1 */
    SPMMI_ROOFLINE_COLD_MISS    /* each line is loaded once: Gamma = C / L */
};
/* Return the intensity of an equation of the paper, or Gamma. */
double spmmi_roofline_naive(const struct spmmi_roofline *s);                                  /* Eq. 2 */
double spmmi_roofline_gamma(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound); /* Eq. 4 */
double spmmi_roofline_tiled(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound); /* Eq. 3 */
/* Eq. 6. The paper prints it with C, the all-miss bound; the other bounds use their Gamma instead. */
double spmmi_roofline_segmented(const struct spmmi_roofline *s, enum spmmi_roofline_bound bound);

/* Return the roofline min(peak, intensity * bandwidth) in operations per second, and the seconds for the 2
 * nnz n operations of a product. */
double spmmi_roofline_throughput(const struct spmmi_device_profile *profile, double intensity);
double spmmi_roofline_seconds(const struct spmmi_device_profile *profile, double intensity, double nnz,
                              double n);

#endif
