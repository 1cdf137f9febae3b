/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic phase: which entries a product of two sparse matrices has, whatever their values. */
#ifndef SPMMI_SPGEMM_PATTERN_H
#define SPMMI_SPGEMM_PATTERN_H

#include "spgemm_repeats.h"
#include "spgemm_scratch.h"

/* Threads of a call that was asked for so many; 0: OpenMP's default. */
int spmmi_spgemm_threads(int wanted);

/* Each of the functions below takes at most spmmi_spgemm_scratch_bytes. */

/* Row pointers of C into row_ptr[rows + 1] of the caller; the last one is its number of entries. products: NULL, or how
 * many each row has. */
spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads, int64_t *row_ptr,
                                   int64_t *products, spmm_diag_t *diag);
/* Columns of C, once its row pointers are known. */
spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads,
                                   const int64_t *row_ptr, int32_t *col_ind, spmm_diag_t *diag);

/* Is c the pattern of the product? The first row that differs, or -1. */
spmm_status_t spmmi_spgemm_verify(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c,
                                  int threads, int64_t *wrong_row, spmm_diag_t *diag);

#endif
