/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the rows of a matrix, and what they do. */
#include <string.h>

#include "format/base/diag.h"
#include "format/order.h"
#include "inspector/matrix/matrix.h"
#include "inspector/thread_count.h"
#include "row_figures.h"
#include "row_order.h"

static spmm_status_t check(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    SPMM_REQUIRE(spmmi_order_is_kind(kind), SPMM_ERR_ARGUMENT, diag, "reorder %d is no order of its own",
                 (int)kind);
    SPMM_REQUIRE(threads >= 0, SPMM_ERR_ARGUMENT, diag, "threads must not be negative, found %d", threads);
cleanup:
    return status;
}

static struct spmmi_row_orders orders_of(const spmm_matrix_t *matrix, int threads)
{
    return (struct spmmi_row_orders){.rows = matrix->rows,
                                     .cols = matrix->cols,
                                     .row_ptr = matrix->row_ptr,
                                     .col_ind = matrix->col_ind,
                                     .threads = spmmi_thread_count(threads)};
}

spmm_status_t spmm_matrix_order(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                uint32_t *order, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_orders orders = {.count = 0};
    const struct spmmi_row_order *made = NULL;
    spmmi_diag_clear(diag);
    SPMM_TRY(check(matrix, kind, threads, diag));
    SPMM_REQUIRE(order != NULL || matrix->rows == 0, SPMM_ERR_ARGUMENT, diag, "order is NULL");
    orders = orders_of(matrix, threads);
    SPMM_TRY(spmmi_row_order_of(&orders, kind, &made, diag));
    for (int64_t i = 0; i < matrix->rows; i++)
        order[i] = made->order == NULL ? (uint32_t)i : made->order[i];
cleanup:
    spmmi_row_orders_free(&orders);
    return status;
}

spmm_status_t spmm_matrix_order_figures(const spmm_matrix_t *matrix, spmm_reorder_t kind, int threads,
                                        spmm_order_figures_t *figures, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_row_orders orders = {.count = 0};
    const struct spmmi_row_order *made = NULL;
    spmm_order_figures_t full = {0};
    spmmi_diag_clear(diag);
    SPMM_TRY(check(matrix, kind, threads, diag));
    SPMM_REQUIRE(figures != NULL && figures->struct_size >= sizeof figures->struct_size, SPMM_ERR_ARGUMENT,
                 diag, "figures is NULL or without struct_size");
    orders = orders_of(matrix, threads);
    SPMM_TRY(spmmi_row_order_of(&orders, kind, &made, diag));
    status = spmmi_row_figures_count(orders.rows, orders.cols, orders.row_ptr, orders.col_ind, made->order,
                                     orders.threads, &full);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of an order of the rows");
    full.struct_size = figures->struct_size;
    full.is_natural = made->order == NULL;
    full.seconds = made->seconds;
    memcpy(figures, &full, full.struct_size < sizeof full ? full.struct_size : sizeof full);
cleanup:
    spmmi_row_orders_free(&orders);
    return status;
}
