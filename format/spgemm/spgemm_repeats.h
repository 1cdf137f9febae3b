/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a product whose columns follow from those of the row before: unknowns of one node have equal rows, and rows
 * of a stencil are those before, moved by one column. */
#ifndef SPMMI_SPGEMM_REPEATS_H
#define SPMMI_SPGEMM_REPEATS_H

#include "spgemm_task.h"

/* For each row of C and of the right factor: 0, or 1 + by how many columns, 0 or 1, its columns are right of those of
 * the row before. */
struct spmmi_spgemm_repeats {
    uint8_t *rows, *right;
};

/* Free with spmmi_spgemm_repeats_free, also after an error. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_repeats_make(const struct spmmi_spgemm_task *task, int threads,
                                        struct spmmi_spgemm_repeats *repeats, spmm_diag_t *diag);
void spmmi_spgemm_repeats_free(struct spmmi_spgemm_repeats *repeats);
uint64_t spmmi_spgemm_repeats_bytes(const struct spmmi_spgemm_task *task);

#endif
