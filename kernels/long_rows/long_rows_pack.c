/* SPDX-License-Identifier: Apache-2.0 */
/* See long_rows_pack.h. */
#include "long_rows_pack.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

struct spmmi_long_rows spmmi_long_rows_count(const struct spmmi_op_pattern *a, const struct spmmi_part *part)
{
    struct spmmi_long_rows p = {.rows = (int64_t)part->item_count, .part = *part};
    for (uint64_t i = 0; i < part->item_count; i++)
        p.nnz += a->row_ptr[part->items[i] + 1] - a->row_ptr[part->items[i]];
    p.part.item_count = ((uint64_t)p.nnz + part->item_size - 1) / part->item_size;
    p.part.items = NULL;
    return p;
}

static void rows_copy(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                      struct spmmi_long_rows *p)
{
    int64_t q = 0, item = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        const uint32_t row = part->items[i];
        const int64_t begin = a->row_ptr[row], length = a->row_ptr[row + 1] - begin;
        p->row_of[i] = row;
        p->row_ptr[i] = q;
        memcpy(p->col_ind + q, a->col_ind + begin, (size_t)length * sizeof *p->col_ind);
        for (int64_t k = 0; k < length; k++)
            p->map[q + k] = (uint32_t)(a->map != NULL ? a->map[begin + k] : begin + k);
        q += length;
        for (; item * part->item_size < q; item++)
            p->part.items[item] = (uint32_t)i;
    }
    p->row_ptr[p->rows] = q;
}

spmm_status_t spmmi_long_rows_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                   struct spmmi_long_rows *long_rows, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_long_rows *const p = long_rows;
    *p = spmmi_long_rows_count(a, part);
    const uint64_t rows = (uint64_t)p->rows, nnz = (uint64_t)p->nnz;
    SPMM_TRY_ALLOC(p->row_ptr = spmmi_alloc(rows + 1, sizeof *p->row_ptr), diag);
    SPMM_TRY_ALLOC(p->row_of = spmmi_alloc(rows, sizeof *p->row_of), diag);
    SPMM_TRY_ALLOC(p->col_ind = spmmi_alloc(nnz, sizeof *p->col_ind), diag);
    SPMM_TRY_ALLOC(p->map = spmmi_alloc(nnz, sizeof *p->map), diag);
    SPMM_TRY_ALLOC(p->part.items = spmmi_alloc(p->part.item_count, sizeof *p->part.items), diag);
    rows_copy(a, part, p);
cleanup:
    if (status != SPMM_OK)
        spmmi_long_rows_free(p);
    return status;
}

uint64_t spmmi_long_rows_bytes(const struct spmmi_long_rows *long_rows)
{
    const struct spmmi_long_rows *const p = long_rows;
    return ((uint64_t)p->rows + 1) * sizeof *p->row_ptr + (uint64_t)p->rows * sizeof *p->row_of +
           (uint64_t)p->nnz * (sizeof *p->col_ind + sizeof *p->map) +
           p->part.item_count * sizeof *p->part.items;
}

void spmmi_long_rows_free(struct spmmi_long_rows *long_rows)
{
    spmmi_free(long_rows->part.items);
    spmmi_free(long_rows->map);
    spmmi_free(long_rows->col_ind);
    spmmi_free(long_rows->row_of);
    spmmi_free(long_rows->row_ptr);
    memset(long_rows, 0, sizeof *long_rows);
}
