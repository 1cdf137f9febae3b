/* SPDX-License-Identifier: Apache-2.0 */
/* See triangle.h: extraction of the triangle of a plan. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/symmetry.h"
#include "triangle.h"

#define PAIRS_MIN 64 /* minimum entries to save, because older libraries refuse files with a triangle */

/* Copies the entries on and above the diagonal to t, whose row_ptr is allocated. */
static spmm_status_t take(const spmm_plan_t *plan, int64_t diagonal_and_above, bool with_values,
                          struct spmmi_triangle *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t bytes = spmm_dtype_size(plan->dtype);
    t->rows = plan->rows;
    t->nnz = diagonal_and_above;
    t->value_bytes = (uint32_t)bytes;
    t->col_ind = spmmi_alloc((uint64_t)t->nnz, sizeof *t->col_ind);
    SPMM_TRY_ALLOC(t->col_ind, diag);
    if (with_values) {
        t->values = spmmi_alloc((uint64_t)t->nnz, bytes);
        SPMM_TRY_ALLOC(t->values, diag);
    }
    int64_t at = 0;
    for (int64_t i = 0; i < plan->rows; i++) {
        int64_t p = plan->row_ptr[i];
        while (p < plan->row_ptr[i + 1] && plan->col_ind[p] < i)
            p++;
        const size_t count = (size_t)(plan->row_ptr[i + 1] - p);
        memcpy(t->col_ind + at, plan->col_ind + p, count * sizeof *t->col_ind);
        if (with_values)
            memcpy((uint8_t *)t->values + (size_t)at * bytes,
                   (const uint8_t *)plan->values + (size_t)p * bytes, count * bytes);
        t->row_ptr[i] = at;
        at += (int64_t)count;
    }
    t->row_ptr[plan->rows] = at;
cleanup:
    return status;
}

spmm_status_t spmmi_triangle_of(const spmm_plan_t *plan, bool with_values, struct spmmi_triangle *t,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *t = (struct spmmi_triangle){.rows = 0};
    if (plan->rows != plan->cols || plan->nnz < 2 * PAIRS_MIN)
        return SPMM_OK;
    t->row_ptr = spmmi_alloc((uint64_t)plan->rows + 1, sizeof *t->row_ptr);
    SPMM_TRY_ALLOC(t->row_ptr, diag);
    const struct spmmi_symmetry s = spmmi_symmetry_of(plan, with_values, t->row_ptr);
    if (!s.is_pattern || s.pairs < PAIRS_MIN) {
        spmmi_triangle_free(t);
        return SPMM_OK;
    }
    t->is_skew = s.is_skew;
    SPMM_TRY(take(plan, plan->nnz - s.pairs, s.is_mirrored || s.is_skew, t, diag));
cleanup:
    return status;
}
