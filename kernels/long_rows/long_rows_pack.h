/* SPDX-License-Identifier: Apache-2.0 */
/* The long rows of op(A) by themselves (format/plan.h): what either backend makes its rows kernels' arrays of. */
#ifndef SPMMI_LONG_ROWS_PACK_H
#define SPMMI_LONG_ROWS_PACK_H

#include "format/plan.h"
#include "executor/pack/op_pattern.h"

struct spmmi_long_rows {
    int64_t rows, nnz;
    int64_t *row_ptr; /* rows + 1 */
    int32_t *col_ind; /* nnz */
    uint32_t *map;    /* nnz: position in the order of A of each */
    uint32_t *row_of; /* rows: row of op(A) */
    struct spmmi_part
        part; /* the nonzero split of these rows: items as struct spmmi_part has them of all rows */
};

/* part: the long rows of a pattern whose nonzeros 32 bits number. Errors: MEMORY. Free with spmmi_long_rows_free. */
spmm_status_t spmmi_long_rows_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                   struct spmmi_long_rows *long_rows, spmm_diag_t *diag);
void spmmi_long_rows_free(struct spmmi_long_rows *long_rows);

/* Bytes of the arrays. */
uint64_t spmmi_long_rows_bytes(const struct spmmi_long_rows *long_rows);

/* Rows, nonzeros and items of that, and no arrays. */
struct spmmi_long_rows spmmi_long_rows_count(const struct spmmi_op_pattern *a, const struct spmmi_part *part);

#endif
