/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic phase: finds which entries a product of two sparse matrices has, regardless of their
 * values. */
#ifndef SPMMI_SPGEMM_PATTERN_H
#define SPMMI_SPGEMM_PATTERN_H

#include "spgemm_repeats.h"
#include "spgemm_scratch.h"

/* Returns the number of threads for a call that requested `wanted` threads. 0 requests the default of
 * OpenMP. */
int spmmi_spgemm_threads(int wanted);

/* Each function below allocates at most spmmi_spgemm_scratch_bytes. */

/* Writes the row pointers of C to row_ptr[rows + 1]; the last one is the number of entries of C. If products
 * is not NULL, products[i] is set to the number of products of row i. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads, int64_t *row_ptr,
                                   int64_t *products, spmm_diag_t *diag);
/* Writes the columns of C, whose row pointers must be known, to col_ind. Errors: MEMORY. */
spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task,
                                   const struct spmmi_spgemm_repeats *repeats, int threads,
                                   const int64_t *row_ptr, int32_t *col_ind, spmm_diag_t *diag);

/* Checks that c is the pattern of the product. *wrong_row is the first row that differs, or -1. Errors:
 * MEMORY. */
spmm_status_t spmmi_spgemm_verify(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c,
                                  int threads, int64_t *wrong_row, spmm_diag_t *diag);

#endif
