/* SPDX-License-Identifier: Apache-2.0 */
/* Finds neighbouring rows with one pattern, in both factors. Systems with several unknowns per node have such
 * rows. */
#ifndef SPMMI_SPGEMM_ALIKE_H
#define SPMMI_SPGEMM_ALIKE_H

#include "executor/spgemm/spgemm_stage.h"

struct spmmi_spgemm_alike {
    /* For each row, whether it has the columns of the row before it. 0 for rows of the left factor whose
     * entries of C may have lists. Owned. */
    uint8_t *left, *right;
};

/* Compares the rows of both factors. Errors: MEMORY. Free alike also after an error. */
spmm_status_t spmmi_spgemm_alike_make(const struct spmmi_spgemm_stage *stage, int threads,
                                      struct spmmi_spgemm_alike *alike, spmm_diag_t *diag);
void spmmi_spgemm_alike_free(struct spmmi_spgemm_alike *alike);
/* Returns true if kernel groups is faster than single rows. */
int spmmi_spgemm_alike_pays(const struct spmmi_spgemm_alike *alike, const struct spmmi_spgemm_task *task);
/* Returns how many rows, from `row` on and before `end`, form one group; 1 if there is no group. */
int64_t spmmi_spgemm_alike_rows(const struct spmmi_spgemm_alike *alike, int64_t row, int64_t end);
/* Returns how many entries of a row of the left factor, from p on and before `end`, select consecutive rows
 * of the right factor with one pattern; 1 if only entry p. */
int64_t spmmi_spgemm_alike_columns(const struct spmmi_spgemm_alike *alike,
                                   const struct spmmi_spgemm_task *task, int64_t p, int64_t end);

#endif
