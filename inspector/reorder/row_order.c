/* SPDX-License-Identifier: Apache-2.0 */
/* See row_order.h. */
#include "row_order.h"

#include <assert.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "order_units.h"

static spmm_status_t make_order(const struct spmmi_row_orders *all, spmm_reorder_t kind,
                                struct spmmi_row_order *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = (uint64_t)all->rows;
    const struct spmmi_order_input in = {.rows = all->rows,
                                         .cols = all->cols,
                                         .row_ptr = all->row_ptr,
                                         .col_ind = all->col_ind,
                                         .units = rows,
                                         .unit_ptr = all->row_ptr,
                                         .threads = all->threads};
    uint32_t *order = spmmi_alloc(rows, sizeof *order);
    SPMM_TRY_ALLOC(order, diag);
    SPMM_TRY(spmmi_order_units(&in, kind, order, diag));
    uint64_t in_order = 0;
    while (in_order < rows && order[in_order] == in_order)
        in_order++;
    if (in_order < rows) {
        o->order = order;
        order = NULL;
    }
cleanup:
    spmmi_free(order);
    return status;
}

spmm_status_t spmmi_row_order_of(struct spmmi_row_orders *orders, spmm_reorder_t kind,
                                 const struct spmmi_row_order **order, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < orders->count; i++) {
        if (orders->list[i].kind == kind) {
            *order = &orders->list[i];
            return SPMM_OK;
        }
    }
    assert(orders->count < SPMMI_ORDER_KINDS);
    struct spmmi_row_order *const o = &orders->list[orders->count];
    *o = (struct spmmi_row_order){.kind = kind};
    if (kind != SPMM_REORDER_NONE) {
        const double start = omp_get_wtime();
        SPMM_TRY(make_order(orders, kind, o, diag));
        o->seconds = omp_get_wtime() - start;
    }
    orders->count++;
    *order = o;
cleanup:
    return status;
}

void spmmi_row_orders_free(struct spmmi_row_orders *orders)
{
    for (int i = 0; i < orders->count; i++)
        spmmi_free(orders->list[i].order);
    orders->count = 0;
}
