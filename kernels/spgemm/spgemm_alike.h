/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring rows with one pattern, of both factors: several unknowns a node have them. */
#ifndef SPMMI_SPGEMM_ALIKE_H
#define SPMMI_SPGEMM_ALIKE_H

#include "executor/spgemm/spgemm_stage.h"

struct spmmi_spgemm_alike {
    /* Of each row: has it the columns of the one before it? 0 also of rows of the left factor that may have lists.
     * Owned. */
    uint8_t *left, *right;
};

/* Errors: MEMORY. Free it also after an error. */
spmm_status_t spmmi_spgemm_alike_make(const struct spmmi_spgemm_stage *stage, int threads,
                                      struct spmmi_spgemm_alike *alike, spmm_diag_t *diag);
void spmmi_spgemm_alike_free(struct spmmi_spgemm_alike *alike);
/* Are groups faster? */
int spmmi_spgemm_alike_pays(const struct spmmi_spgemm_alike *alike, const struct spmmi_spgemm_task *task);
/* Rows from this one on, before the end, that are one group; 1: none, as of rows that may have lists. */
int64_t spmmi_spgemm_alike_rows(const struct spmmi_spgemm_alike *alike, int64_t row, int64_t end);
/* Entries of a row of the left factor from p on, before the end, whose rows of the right one follow each other and are
 * alike; 1: none. */
int64_t spmmi_spgemm_alike_columns(const struct spmmi_spgemm_alike *alike,
                                   const struct spmmi_spgemm_task *task, int64_t p, int64_t end);

#endif
