/* SPDX-License-Identifier: Apache-2.0 */
/* A factor of a product as its two phases read it: op(operand) in CSR. */
#ifndef SPMMI_SPGEMM_FACTOR_H
#define SPMMI_SPGEMM_FACTOR_H

#include "format/matrix/numbered_columns.h"
#include "spgemm.h"

struct spmmi_spgemm_factor {
    struct spmmi_csr_pattern pattern; /* borrowed of the operand where nothing below is set */
    int64_t *row_ptr;                 /* owned: of the transpose */
    int32_t *col_ind;
    int64_t *map; /* entry q of the transpose is entry map[q] of the operand */
    /* Of a right factor with many columns for its entries: pattern has numbers instead of columns. */
    struct spmmi_numbered_columns numbers;
};

/* is_right: its columns are those of the product, over which there are arrays. keeps_columns: they are not numbered
 * anew. Errors: MEMORY. Free with spmmi_spgemm_factor_free, also after an error. */
spmm_status_t spmmi_spgemm_factor_make(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                       int keeps_columns, int threads, struct spmmi_spgemm_factor *factor,
                                       spmm_diag_t *diag);
void spmmi_spgemm_factor_free(struct spmmi_spgemm_factor *factor);
/* Most bytes that it takes. */
uint64_t spmmi_spgemm_factor_bytes(const struct spmmi_csr_pattern *operand, spmm_op_t op, int is_right,
                                   int keeps_columns);

#endif
