/* SPDX-License-Identifier: Apache-2.0 */
/* What op(A) becomes in fragments, for tensor cores: windows of 8 rows and panels of 64, 128 and 256 rows, in one order
 * of the rows. executor/kernel_abi.h has the layout, docs/statistics.md the figures. */
#ifndef SPMMI_FRAGMENT_STUDY_H
#define SPMMI_FRAGMENT_STUDY_H

#include <stdbool.h>

#include "tiled_study.h"

/* Heights of units: a window, and three of panels. */
enum spmmi_fragment_height {
    SPMMI_FRAGMENT_8,
    SPMMI_FRAGMENT_64,
    SPMMI_FRAGMENT_128,
    SPMMI_FRAGMENT_256,
    SPMMI_FRAGMENT_HEIGHTS
};
#define SPMMI_FRAGMENT_ROWS(height) ((height) == SPMMI_FRAGMENT_8 ? 8u : 32u << (height))

/* Of all units of one height; estimates where a sample was counted. */
struct spmmi_fragment_figures {
    uint32_t unit_rows;
    double units;
    double nnz;
    double footprint; /* columns, each once in every unit that holds it */
    double steps;     /* of 8 columns (windows) or 128 */
    double blocks;    /* of 8 x 8 that hold nonzeros */
    double longest;   /* steps of the unit that has most */
    double
        shared; /* footprint of the panels of 64 rows: what 8 windows of a block of threads need together */
};

/* A share of the rows, strips of 256 of them, and what was counted there. */
struct spmmi_fragment_study {
    struct spmmi_fragment_figures figures[SPMMI_FRAGMENT_HEIGHTS];
    int64_t strips;
    double *weight;                          /* of each strip; owned */
    uint32_t *steps[SPMMI_FRAGMENT_HEIGHTS]; /* of each unit of each strip; owned, one allocation */
};

/* order[rows]; NULL: the natural one. strips_most: so many strips stand for all; 0: count them all. Needs 4 bytes a
 * column for each thread, and takes fewer threads where that is much. The same at any number of threads. Errors:
 * MEMORY. Free with spmmi_fragment_study_close, also after an error. */
spmm_status_t spmmi_fragment_study_open(const struct spmmi_pattern *a, const uint32_t *order,
                                        int64_t strips_most, int threads, struct spmmi_fragment_study *study);
void spmmi_fragment_study_close(struct spmmi_fragment_study *study);

/* Items, and those of units that are cut, when no item has more than granule steps. */
struct spmmi_fragment_items {
    double items, partials;
};
struct spmmi_fragment_items spmmi_fragment_items(const struct spmmi_fragment_study *study,
                                                 enum spmmi_fragment_height height, uint32_t granule);

/* Can the executor number the values and columns of this layout with 32 bits? The tenth is for estimates. */
bool spmmi_fragment_fits(const struct spmmi_fragment_figures *figures, spmm_schedule_t schedule);

/* Most steps of an item, so that items spread over the multiprocessors; only units much longer than others are cut. */
uint32_t spmmi_fragment_granule(const struct spmmi_fragment_figures *figures, int multiprocessors);

#endif
