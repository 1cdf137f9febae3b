/* SPDX-License-Identifier: Apache-2.0 */
/* A factor of a product in the form that both phases read: op(operand) in CSR. */
#ifndef SPMMI_SPGEMM_FACTOR_H
#define SPMMI_SPGEMM_FACTOR_H

#include "format/matrix/numbered_columns.h"
#include "spgemm.h"

struct spmmi_spgemm_factor {
    struct spmmi_csr_pattern pattern; /* borrowed from the operand, unless a field below replaces it */
    int64_t *row_ptr;                 /* owned: transpose of the operand, else NULL */
    int32_t *col_ind;
    int64_t *map; /* entry q of the transpose is entry map[q] of the operand */
    /* Set for a right factor with many columns in relation to its entries: pattern.col_ind then holds column
     * numbers from here instead of columns. */
    struct spmmi_numbered_columns numbers;
};

/* Makes the factor op(operand). is_right: this is the right factor of a product, so arrays over its columns
 * are needed, which are numbered anew if few of them are used. keeps_columns: the columns are never numbered
 * anew. Errors: MEMORY. Free with spmmi_spgemm_factor_free, also after an error. */
spmm_status_t spmmi_spgemm_factor_make(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                       int keeps_columns, int threads, struct spmmi_spgemm_factor *factor,
                                       spmm_diag_t *diag);
void spmmi_spgemm_factor_free(struct spmmi_spgemm_factor *factor);
/* Returns an upper bound of the bytes that spmmi_spgemm_factor_make allocates. */
uint64_t spmmi_spgemm_factor_bytes(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                   int keeps_columns);

#endif
