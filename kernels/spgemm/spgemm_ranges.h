/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a stage on a GPU (spgemm_columns.h), on the host. */
#ifndef SPMMI_SPGEMM_RANGES_H
#define SPMMI_SPGEMM_RANGES_H

#include "executor/spgemm/spgemm_stage.h"
#include "spgemm_columns.h"

struct spmmi_spgemm_ranges {
    struct spmmi_spgemm_span spans[SPMMI_SPGEMM_SPANS];
    uint32_t count, cut_count, end_count;
    uint64_t word_count;               /* of 4 bytes */
    struct spmmi_spgemm_range *ranges; /* owned, as all below */
    struct spmmi_spgemm_cut_range *cuts;
    uint32_t *ends, *words;
};

/* host_left: most memory that it may take. Errors: TOO_LARGE (more than 32 bits count), PLAN_BUDGET, MEMORY. Free it
 * also after an error. */
spmm_status_t spmmi_spgemm_ranges_make(const struct spmmi_spgemm_stage *stage, uint64_t host_left,
                                       struct spmmi_spgemm_ranges *ranges, spmm_diag_t *diag);
void spmmi_spgemm_ranges_free(struct spmmi_spgemm_ranges *ranges);

#endif
