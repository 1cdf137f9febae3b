/* SPDX-License-Identifier: Apache-2.0 */
/* See op_pattern.h. */
#include "op_pattern.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

spmm_status_t spmmi_op_pattern_open(const spmm_plan_t *plan, spmm_op_t op, struct spmmi_op_pattern *pattern,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_op_pattern *const p = pattern;
    const uint64_t nnz = (uint64_t)plan->nnz;
    *p = (struct spmmi_op_pattern){
        .rows = plan->rows, .cols = plan->cols, .row_ptr = plan->row_ptr, .col_ind = plan->col_ind};
    if (op == SPMM_OP_N)
        goto cleanup;
    SPMM_TRY_ALLOC(p->own_row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *p->own_row_ptr), diag);
    SPMM_TRY_ALLOC(p->own_col_ind = spmmi_alloc(nnz, sizeof *p->own_col_ind), diag);
    SPMM_TRY_ALLOC(p->map = spmmi_alloc(nnz, sizeof *p->map), diag);
    status = spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, p->own_row_ptr,
                             p->own_col_ind, p->map);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory while transposing the pattern");
    p->rows = plan->cols;
    p->cols = plan->rows;
    p->row_ptr = p->own_row_ptr;
    p->col_ind = p->own_col_ind;
cleanup:
    return status;
}

uint64_t spmmi_transposition_bytes(const spmm_plan_t *plan, spmm_op_t op)
{
    return op == SPMM_OP_N ? 0 : 2 * ((uint64_t)plan->cols + 1) * sizeof(int64_t);
}

uint64_t spmmi_op_pattern_own_bytes(const spmm_plan_t *plan, spmm_op_t op)
{
    const struct spmmi_op_pattern *const p = NULL;
    if (op == SPMM_OP_N)
        return 0;
    return spmmi_transposition_bytes(plan, op) +
           (uint64_t)plan->nnz * (sizeof *p->own_col_ind + sizeof *p->map);
}

uint64_t spmmi_op_pattern_bytes(const spmm_plan_t *plan, spmm_op_t op)
{
    return op == SPMM_OP_N ? 0
                           : spmmi_op_pattern_own_bytes(plan, op) + (uint64_t)plan->nnz * sizeof(uint32_t);
}

void spmmi_op_pattern_close(struct spmmi_op_pattern *pattern)
{
    spmmi_free(pattern->map);
    spmmi_free(pattern->own_col_ind);
    spmmi_free(pattern->own_row_ptr);
    memset(pattern, 0, sizeof *pattern);
}

spmm_status_t spmmi_op_pattern_map_from_a(uint32_t **value_map, int64_t nnz, const int64_t *t_map,
                                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *map = spmmi_alloc((uint64_t)nnz, sizeof *map);
    SPMM_TRY_ALLOC(map, diag);
    for (int64_t q = 0; q < nnz; q++)
        map[t_map[q]] = (*value_map)[q];
    spmmi_free(*value_map);
    *value_map = map;
cleanup:
    return status;
}
