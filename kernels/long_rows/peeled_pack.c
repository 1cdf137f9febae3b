/* SPDX-License-Identifier: Apache-2.0 */
/* See peeled_pack.h. */
#include "peeled_pack.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

struct spmmi_peeled spmmi_peeled_count(const struct spmmi_op_pattern *a, const struct spmmi_part *part)
{
    struct spmmi_peeled p = {.rows = (int64_t)part->item_count, .part = *part};
    for (uint64_t i = 0; i < part->item_count; i++)
        p.nnz += a->row_ptr[part->items[i] + 1] - a->row_ptr[part->items[i]];
    p.part.item_count = ((uint64_t)p.nnz + part->granule - 1) / part->granule;
    p.part.items = NULL;
    return p;
}

static void rows_copy(const struct spmmi_op_pattern *a, const struct spmmi_part *part, struct spmmi_peeled *p)
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
        for (; item * part->granule < q; item++)
            p->part.items[item] = (uint32_t)i;
    }
    p->row_ptr[p->rows] = q;
}

spmm_status_t spmmi_peeled_make(const struct spmmi_op_pattern *a, const struct spmmi_part *part,
                                struct spmmi_peeled *peeled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_peeled *const p = peeled;
    *p = spmmi_peeled_count(a, part);
    const uint64_t rows = (uint64_t)p->rows, nnz = (uint64_t)p->nnz;
    SPMM_TRY_ALLOC(p->row_ptr = spmmi_alloc(rows + 1, sizeof *p->row_ptr), diag);
    SPMM_TRY_ALLOC(p->row_of = spmmi_alloc(rows, sizeof *p->row_of), diag);
    SPMM_TRY_ALLOC(p->col_ind = spmmi_alloc(nnz, sizeof *p->col_ind), diag);
    SPMM_TRY_ALLOC(p->map = spmmi_alloc(nnz, sizeof *p->map), diag);
    SPMM_TRY_ALLOC(p->part.items = spmmi_alloc(p->part.item_count, sizeof *p->part.items), diag);
    rows_copy(a, part, p);
cleanup:
    if (status != SPMM_OK)
        spmmi_peeled_free(p);
    return status;
}

void spmmi_peeled_free(struct spmmi_peeled *peeled)
{
    spmmi_free(peeled->part.items);
    spmmi_free(peeled->map);
    spmmi_free(peeled->col_ind);
    spmmi_free(peeled->row_of);
    spmmi_free(peeled->row_ptr);
    memset(peeled, 0, sizeof *peeled);
}
