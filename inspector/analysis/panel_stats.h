/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a tiled schedule, see docs/statistics.md: what the panels share, what padding costs, how B is read. */
#ifndef SPMMI_PANEL_STATS_H
#define SPMMI_PANEL_STATS_H

#include "format/plan.h"

/* A pattern and how panels take it. */
struct spmmi_panel_input {
    int64_t cols;            /* of op(A) */
    uint64_t units;          /* rows, or segments of rows: see format/matrix/units.h; at most UINT32_MAX */
    const int64_t *unit_ptr; /* units + 1; whole rows: the row pointers */
    const int32_t *col_ind;  /* ascending and unique in each unit */
    const uint32_t *order;   /* units: the order in which panels take them; NULL: as they are */
    int64_t segment;         /* as given to spmmi_units_cut; reported, not used */
    uint32_t panel_rows;     /* a multiple of 32, at most SPMMI_PANEL_ROWS_MAX */
    uint32_t stage_slots;    /* SPMMI_STAGE_SLOTS_MIN .. SPMMI_STAGE_SLOTS_MAX */
    uint32_t number_bytes;   /* B_T: 2, 4 or 8 */
    uint32_t register_tile;  /* R, at least 1 */
    int64_t n;               /* columns of B, at least 0 */
    int multiprocessors;     /* 0: not known, utilization is 0 */
    int threads;             /* at least 1; never changes the figures */
};

/* All figures. O(nnz + units) time; each thread holds 4 bytes and 1 bit a column, and there are fewer threads where
 * columns are many for their nonzeros. Errors: MEMORY. */
spmm_status_t spmmi_panel_stats(const struct spmmi_panel_input *in, spmm_panel_stats_t *out);

/* The same from at most panels_most + 1 panels (docs/statistics.md "Sampled figures"): sums are estimates, maxima those
 * of the sample, footprint[], reuse[], column_count[] and column_sum[] zero. Exact where no more than panels_most
 * panels hold nonzeros. columns_used: as the caller knows it. O(units) time and what the sample holds.
 * Errors: MEMORY. */
spmm_status_t spmmi_panel_estimate(const struct spmmi_panel_input *in, int64_t columns_used,
                                   int64_t panels_most, spmm_panel_stats_t *out);

#endif
