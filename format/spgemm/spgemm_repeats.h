/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a product whose columns follow from those of the preceding row. In systems of PDEs the unknowns of
 * one node have equal rows. Rows of a stencil have the columns of the preceding row, each increased by
 * one. */
#ifndef SPMMI_SPGEMM_REPEATS_H
#define SPMMI_SPGEMM_REPEATS_H

#include "spgemm_task.h"

/* For each row of C (rows) and of the right factor (right): 0 if its columns do not follow from the preceding
 * row; 1 if they are equal to those of the preceding row; 2 if each is larger by one. */
struct spmmi_spgemm_repeats {
    uint8_t *rows, *right;
};

/* Finds the repeating rows. Free with spmmi_spgemm_repeats_free, also after an error. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_repeats_make(const struct spmmi_spgemm_task *task, int threads,
                                        struct spmmi_spgemm_repeats *repeats, spmm_diag_t *diag);
void spmmi_spgemm_repeats_free(struct spmmi_spgemm_repeats *repeats);
uint64_t spmmi_spgemm_repeats_bytes(const struct spmmi_spgemm_task *task);

#endif
