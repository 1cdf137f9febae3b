/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a stage on a GPU (spgemm_columns.h), as made on the host. */
#ifndef SPMMI_SPGEMM_RANGES_H
#define SPMMI_SPGEMM_RANGES_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_columns.h"

struct spmmi_spgemm_ranges {
    struct spmmi_spgemm_span spans[SPMMI_SPGEMM_SPANS];
    uint32_t count, cut_count, end_count;
    uint64_t word_count;               /* number of words, of 4 bytes each */
    struct spmmi_spgemm_range *ranges; /* this and all arrays below are owned */
    struct spmmi_spgemm_cut_range *cuts;
    uint32_t *ends, *words;
};

/* Makes the ranges of a stage. host_left: maximum host memory. Errors: TOO_LARGE (32 bits cannot count them),
 * PLAN_BUDGET, MEMORY. Free ranges also after an error. */
spmm_status_t spmmi_spgemm_ranges_make(const struct spmmi_spgemm_stage *stage, uint64_t host_left,
                                       struct spmmi_spgemm_ranges *ranges, spmm_diag_t *diag);
void spmmi_spgemm_ranges_free(struct spmmi_spgemm_ranges *ranges);

#endif
