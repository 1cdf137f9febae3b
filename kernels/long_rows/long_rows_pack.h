/* SPDX-License-Identifier: Apache-2.0 */
/* The long rows of op(A) by themselves (format/plan.h), from which both backends make the arrays of their
 * rows kernels. */
#ifndef SPMMI_LONG_ROWS_PACK_H
#define SPMMI_LONG_ROWS_PACK_H

#include "format/plan.h"
#include "executor/pack/op_pattern.h"

struct spmmi_long_rows {
    int64_t rows, nnz;
    int64_t *row_ptr;       /* rows + 1 */
    int32_t *col_ind;       /* nnz */
    uint32_t *map;          /* nnz: position of each nonzero in A */
    uint32_t *row_of;       /* rows: row of op(A) */
    struct spmmi_part part; /* the nonzero split of these rows, with items as in struct spmmi_part */
};

/* Copies the long rows of a, which `part` lists. Positions of nonzeros must fit 32 bits. Errors: MEMORY. Free
 * with spmmi_long_rows_free. */
spmm_status_t spmmi_long_rows_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                   struct spmmi_long_rows *long_rows, spmm_diag_t *diag);
void spmmi_long_rows_free(struct spmmi_long_rows *long_rows);

/* Returns the bytes of the arrays. */
uint64_t spmmi_long_rows_bytes(const struct spmmi_long_rows *long_rows);

/* Returns the numbers of rows, nonzeros and items, without arrays. */
struct spmmi_long_rows spmmi_long_rows_count(const struct spmmi_op_pattern *a, const struct spmmi_part *part);

#endif
