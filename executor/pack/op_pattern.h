/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern of op(A) in CSR: the plan's own arrays, or a transpose made from them. */
#ifndef SPMMI_OP_PATTERN_H
#define SPMMI_OP_PATTERN_H

#include "format/plan.h"

struct spmmi_op_pattern {
    int64_t rows, cols;
    const int64_t *row_ptr; /* rows + 1 elements */
    const int32_t *col_ind; /* nnz elements */
    int64_t *map; /* op T: position of each nonzero in the order of A; else NULL. Owned, like the next two */
    int64_t *own_row_ptr;
    int32_t *own_col_ind;
};

/* Opens the pattern; for op T makes the transpose. The plan must outlive it. Free it with
 * spmmi_op_pattern_close, also after an error. Errors: MEMORY. */
spmm_status_t spmmi_op_pattern_open(const spmm_plan_t *plan, spmm_op_t op, struct spmmi_op_pattern *pattern,
                                    spmm_diag_t *diag);
/* Returns the bytes of row pointers for making a transpose, two arrays; 0 for op N. Every transposed part
 * takes at least this much. */
uint64_t spmmi_transposition_bytes(const spmm_plan_t *plan, spmm_op_t op);
/* Returns the maximum bytes that the pattern takes at a time. */
uint64_t spmmi_op_pattern_own_bytes(const spmm_plan_t *plan, spmm_op_t op);
/* Returns the same plus the bytes of a value map made from it. */
uint64_t spmmi_op_pattern_bytes(const spmm_plan_t *plan, spmm_op_t op);
void spmmi_op_pattern_close(struct spmmi_op_pattern *pattern);

/* Replaces *value_map, in the order of the transpose, by a map in the order of A, so that the transpose need
 * not be kept. t_map[q] is the position in A of nonzero q of the transpose. Errors: MEMORY. */
spmm_status_t spmmi_op_pattern_map_from_a(uint32_t **value_map, int64_t nnz, const int64_t *t_map,
                                          spmm_diag_t *diag);

#endif
