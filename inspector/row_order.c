/* SPDX-License-Identifier: Apache-2.0 */
/* See row_order.h. */
#include "row_order.h"

#include <assert.h>
#include <string.h>

#include <omp.h>

#include "format/alloc.h"
#include "format/diag.h"
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
    const double start = omp_get_wtime();
    if (kind != SPMM_REORDER_NONE)
        SPMM_TRY(make_order(orders, kind, o, diag));
    const double made = omp_get_wtime();
    status = spmmi_row_figures_count(orders->rows, orders->cols, orders->row_ptr, orders->col_ind, o->order,
                                     orders->threads, &o->figures);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of an order of the rows");
    o->seconds = kind != SPMM_REORDER_NONE ? made - start : 0;
    o->count_seconds = omp_get_wtime() - made;
    orders->count++;
    *order = o;
cleanup:
    if (status != SPMM_OK)
        spmmi_free(o->order);
    return status;
}

static bool falls(int64_t before, int64_t after)
{
    return (double)after <= (1 - SPMMI_ORDER_GAIN) * (double)before && after < before;
}

bool spmmi_row_order_gains(const struct spmmi_row_figures *natural, const struct spmmi_row_figures *order)
{
    bool gains = falls(natural->blocks[SPMMI_BLOCKS_8X8].blocks, order->blocks[SPMMI_BLOCKS_8X8].blocks);
    for (int h = SPMMI_ORDER_LEAST_HEIGHT; h < SPMM_PANEL_HEIGHTS; h++)
        gains = gains || falls(natural->footprint[h], order->footprint[h]);
    return gains;
}

spmm_status_t spmmi_row_order_candidates(struct spmmi_row_orders *orders, spmm_reorder_t wanted,
                                         const struct spmmi_row_order *candidates[SPMMI_ORDER_KINDS],
                                         int *count, spmm_diag_t *diag)
{
    static const spmm_reorder_t of_auto[] = {SPMM_REORDER_MINHASH, SPMM_REORDER_RCM, SPMM_REORDER_RADIX};
    spmm_status_t status = SPMM_OK;
    const struct spmmi_row_order *natural = NULL, *order = NULL;
    *count = 0;
    SPMM_TRY(spmmi_row_order_of(orders, SPMM_REORDER_NONE, &natural, diag));
    candidates[(*count)++] = natural;
    if (wanted == SPMM_REORDER_AUTO) {
        for (size_t i = 0; i < sizeof of_auto / sizeof of_auto[0]; i++) {
            if (of_auto[i] == SPMM_REORDER_RCM && orders->rows != orders->cols)
                continue;
            SPMM_TRY(spmmi_row_order_of(orders, of_auto[i], &order, diag));
            if (order->order != NULL && spmmi_row_order_gains(&natural->figures, &order->figures))
                candidates[(*count)++] = order;
        }
    } else if (wanted != SPMM_REORDER_NONE) {
        SPMM_TRY(spmmi_row_order_of(orders, wanted, &order, diag));
        if (order->order != NULL)
            candidates[(*count)++] = order;
    }
cleanup:
    return status;
}

void spmmi_row_orders_free(struct spmmi_row_orders *orders)
{
    for (int i = 0; i < orders->count; i++)
        spmmi_free(orders->list[i].order);
    orders->count = 0;
}
