/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of op(A) in CSR: the plan's own arrays, or a transpose that is made of them. */
#ifndef SPMMI_OP_PATTERN_H
#define SPMMI_OP_PATTERN_H

#include "format/plan.h"

struct spmmi_op_pattern {
    int64_t rows, cols;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* nnz */
    int64_t *map; /* op = T: position in the order of A of each nonzero; else NULL. Owned, as the next two */
    int64_t *own_row_ptr;
    int32_t *own_col_ind;
};

/* Errors: MEMORY. The plan outlives the pattern. Free with spmmi_op_pattern_close, also after an error. */
spmm_status_t spmmi_op_pattern_open(const spmm_plan_t *plan, spmm_op_t op, struct spmmi_op_pattern *pattern,
                                    spmm_diag_t *diag);
/* Bytes of the row pointers that making a transpose takes, twice of them; none of op = N. No transposed part takes
 * less. */
uint64_t spmmi_transposition_bytes(const spmm_plan_t *plan, spmm_op_t op);
/* Most bytes that the pattern takes at a time. */
uint64_t spmmi_op_pattern_own_bytes(const spmm_plan_t *plan, spmm_op_t op);
/* The same with a value map made from it. */
uint64_t spmmi_op_pattern_bytes(const spmm_plan_t *plan, spmm_op_t op);
void spmmi_op_pattern_close(struct spmmi_op_pattern *pattern);

/* Turns a value map in the order of the transpose into one in the order of A: t_map[q] is the position in A of the
 * transpose's nonzero q. So the transpose need not be kept. Errors: MEMORY. */
spmm_status_t spmmi_op_pattern_map_from_a(uint32_t **value_map, int64_t nnz, const int64_t *t_map,
                                          spmm_diag_t *diag);

#endif
