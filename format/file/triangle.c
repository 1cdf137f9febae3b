/* SPDX-License-Identifier: Apache-2.0 */
/* See triangle.h. Rows are taken in order: when row i comes, its entries left of the diagonal are those that the rows
 * before it had in column i, in their order. */
#include "triangle.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

void spmmi_triangle_free(struct spmmi_triangle *t)
{
    spmmi_free(t->row_ptr);
    spmmi_free(t->col_ind);
    spmmi_free(t->values);
    *t = (struct spmmi_triangle){.rows = 0};
}

spmm_status_t spmmi_triangle_check_rows(const struct spmmi_triangle *t, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < t->rows; i++)
        SPMM_RULE(t->row_ptr[i + 1] - t->row_ptr[i] <= t->rows - i, ROW_PTR, (uint64_t)i,
                  "row %lld of the triangle has %lld entries, at most %lld fit", (long long)i,
                  (long long)(t->row_ptr[i + 1] - t->row_ptr[i]), (long long)(t->rows - i));
    SPMM_RULE(t->row_ptr[t->rows] == t->nnz, ROW_PTR, (uint64_t)t->rows,
              "the rows of the triangle have %lld entries, expected %lld", (long long)t->row_ptr[t->rows],
              (long long)t->nnz);
cleanup:
    return status;
}

spmm_status_t spmmi_triangle_check(const struct spmmi_triangle *t, int64_t nnz, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t diagonal = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        int64_t least = i;
        for (int64_t p = t->row_ptr[i]; p < t->row_ptr[i + 1]; p++) {
            SPMM_RULE(t->col_ind[p] >= least && t->col_ind[p] < t->rows, COL_IND, (uint64_t)i,
                      "the columns of row %lld of the triangle are not ascending in %lld to %lld",
                      (long long)i, (long long)i, (long long)t->rows - 1);
            diagonal += t->col_ind[p] == i;
            least = (int64_t)t->col_ind[p] + 1;
        }
    }
    SPMM_RULE(2 * t->nnz - diagonal == nnz, COL_IND, 0,
              "the triangle has %lld entries, %lld of them on the diagonal, and not half of %lld nonzeros",
              (long long)t->nnz, (long long)diagonal, (long long)nnz);
cleanup:
    return status;
}

/* ---- From a file ---- */

/* Where each row begins, one place further: spmmi_triangle_expand moves it to where the row ends. */
static void count_rows(const struct spmmi_triangle *t, int64_t *row_ptr)
{
    memset(row_ptr, 0, ((size_t)t->rows + 1) * sizeof *row_ptr);
    for (int64_t i = 0; i < t->rows; i++) {
        row_ptr[i + 1] += t->row_ptr[i + 1] - t->row_ptr[i];
        for (int64_t p = t->row_ptr[i]; p < t->row_ptr[i + 1]; p++)
            row_ptr[t->col_ind[p] + 1] += t->col_ind[p] != i;
    }
    int64_t begin = 0;
    for (int64_t i = 0; i < t->rows; i++) {
        const int64_t length = row_ptr[i + 1];
        row_ptr[i + 1] = begin;
        begin += length;
    }
}

/* Inlined with a constant width, so that each copy is a load and a store. sign: the bit of the highest byte. */
static inline void place_entries(const struct spmmi_triangle *t, spmm_plan_t *plan, uint32_t bytes,
                                 uint8_t sign)
{
    int64_t *const end = plan->row_ptr + 1;
    uint8_t *const values = plan->values;
    const uint8_t *const from = t->values;
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t p = t->row_ptr[i]; p < t->row_ptr[i + 1]; p++) {
            const int32_t j = t->col_ind[p];
            const int64_t own = end[i]++;
            plan->col_ind[own] = j;
            if (bytes > 0)
                memcpy(values + (uint64_t)own * bytes, from + (uint64_t)p * bytes, bytes);
            if (j == i)
                continue;
            const int64_t mirrored = end[j]++;
            plan->col_ind[mirrored] = (int32_t)i;
            if (bytes == 0)
                continue;
            uint8_t *const to = values + (uint64_t)mirrored * bytes;
            memcpy(to, from + (uint64_t)p * bytes, bytes);
            to[bytes - 1] ^= sign;
        }
    }
}

spmm_status_t spmmi_triangle_expand(const struct spmmi_triangle *t, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t bytes = t->values != NULL ? t->value_bytes : 0;
    const uint8_t sign = t->is_skew ? 0x80 : 0;
    plan->row_ptr = spmmi_alloc((uint64_t)plan->rows + 1, sizeof *plan->row_ptr);
    SPMM_TRY_ALLOC(plan->row_ptr, diag);
    plan->col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *plan->col_ind);
    SPMM_TRY_ALLOC(plan->col_ind, diag);
    if (bytes > 0) {
        plan->values = spmmi_alloc((uint64_t)plan->nnz, bytes);
        SPMM_TRY_ALLOC(plan->values, diag);
    }
    count_rows(t, plan->row_ptr);
    switch (bytes) {
    case 0:
        place_entries(t, plan, 0, 0);
        break;
    case 2:
        place_entries(t, plan, 2, sign);
        break;
    case 4:
        place_entries(t, plan, 4, sign);
        break;
    default:
        place_entries(t, plan, 8, sign);
        break;
    }
cleanup:
    return status;
}
