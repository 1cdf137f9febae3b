/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics for the choice of a tiled configuration. The first call computes each of them: the units of
 * a segment length, their permutation, the metrics of their row blocks, and the sector amplification
 * of this permutation in C. */
#ifndef SPMMI_TILED_ANALYSIS_H
#define SPMMI_TILED_ANALYSIS_H

#include <stdbool.h>

#include "inspector/inspect_options.h"
#include "inspector/matrix/pattern.h"

/* Maximum number of segment lengths: U * mu for each range of n and layout, mu, whole rows. */
#define SPMMI_ANALYSIS_MAX 32
#define SPMMI_ROW_BLOCK_CHOICES 4 /* 32, 64, 128 and 256 rows */

/* The units of one segment length. */
struct spmmi_tiled_analysis {
    uint32_t segment; /* 0: whole rows */
    uint64_t units;
    int64_t cut_rows;     /* rows with two or more units */
    int64_t columns_used; /* columns of the matrix with nonzeros */
    const int64_t *unit_ptr;
    int64_t *cut_ptr;            /* owned; NULL for whole rows */
    uint32_t *unit_row;          /* NULL for whole rows */
    uint32_t *permutation;       /* permutation of the units; NULL until spmmi_analysis_permutation */
    bool is_identity;            /* the permutation keeps the order of A */
    double sector_amplification; /* 0 until spmmi_analysis_permutation */
    bool has_stats[SPMMI_ROW_BLOCK_CHOICES][2];
    spmm_row_block_metrics_t stats[SPMMI_ROW_BLOCK_CHOICES][2]; /* [0]: in the order of A, [1]: permuted */
};
struct spmmi_tiled_analyses {
    struct spmmi_tiled_analysis list[SPMMI_ANALYSIS_MAX];
    int count;
    int64_t columns_used; /* columns with nonzeros, set before the first analysis */
};

/* Returns the analysis of a segment length; the first call makes it. Errors: MEMORY, MATRIX_TOO_LARGE if
 * there are more units than a part may have. */
spmm_status_t spmmi_analysis_of(struct spmmi_tiled_analyses *analyses, const struct spmmi_pattern *a,
                                uint32_t segment, struct spmmi_tiled_analysis **analysis, spmm_diag_t *diag);
void spmmi_analyses_free(struct spmmi_tiled_analyses *analyses);
void spmmi_analyses_close(void *analyses); /* the same with the signature of spmmi_search_cache */

/* Returns the kind of permutation that spmmi_analysis_permutation makes. */
static inline spmm_reorder_t spmmi_analysis_permutation_kind(const struct spmmi_request *r)
{
    return r->options.reorder == SPMM_REORDER_AUTO ? SPMM_REORDER_RADIX : r->options.reorder;
}

/* Makes the permutation of the units that the options name (radix by default), and its sector
 * amplification: the sectors of 32 bytes that warps write in one column of C / the minimum number of
 * sectors for their rows. Split rows do not count, because their partial sums are written elsewhere.
 * Errors: as spmmi_permutation_units. */
spmm_status_t spmmi_analysis_permutation(struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                         const struct spmmi_request *r, spmm_diag_t *diag);

/* Computes the metrics of row blocks of block_rows units for n columns; permuted if is_reordered (after
 * spmmi_analysis_permutation). They are estimated from a sample of the row blocks, or exact if the caller
 * names the tiled family (docs/statistics.md "Sampled metrics"). Errors: MEMORY. */
spmm_status_t spmmi_analysis_row_blocks(struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                        const struct spmmi_request *r, uint32_t block_rows, bool is_reordered,
                                        int64_t n, spmm_row_block_metrics_t *stats, spmm_diag_t *diag);

/* Computes all metrics of the same row blocks exactly. Errors: MEMORY. */
spmm_status_t spmmi_analysis_exact(const struct spmmi_tiled_analysis *analysis, const struct spmmi_pattern *a,
                                   const struct spmmi_request *r, uint32_t block_rows, bool is_reordered,
                                   int64_t n, spmm_row_block_metrics_t *stats, spmm_diag_t *diag);

#endif
