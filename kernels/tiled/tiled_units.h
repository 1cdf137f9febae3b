/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a tiled part: their nonzeros, and where their sums are stored. */
#ifndef SPMMI_TILED_UNITS_H
#define SPMMI_TILED_UNITS_H

#include "tiled_kernel.h"
#include "format/plan.h"

struct spmmi_tiled_units {
    uint32_t count, partial_count, split_count;
    uint32_t *begin;                  /* count + 1: first nonzero of each unit */
    uint32_t *target;                 /* count: row of C, or number of a partial sum with the flag */
    struct spmmi_tiled_split *splits; /* split_count, ascending rows */
};

/* Makes the units. Errors: MEMORY, TOO_LARGE, INTERNAL if the part's item_count is not the number of units.
 * Free with spmmi_tiled_units_free. */
spmm_status_t spmmi_tiled_units_make(int64_t rows, const int64_t *row_ptr, const struct spmmi_part *part,
                                     struct spmmi_tiled_units *units, spmm_diag_t *diag);
void spmmi_tiled_units_free(struct spmmi_tiled_units *units);

#endif
