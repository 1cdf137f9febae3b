/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the rows of a pattern, each made when it is first asked for. */
#ifndef SPMMI_ROW_ORDER_H
#define SPMMI_ROW_ORDER_H

#include <spmm/inspector.h>

#include "format/order.h"

struct spmmi_row_order {
    spmm_reorder_t kind; /* SPMM_REORDER_NONE: the natural order */
    uint32_t *order;     /* of the rows, owned by the cache; NULL: it is the natural one, whatever the kind */
    double seconds;      /* that it took to make */
};

/* A pattern, borrowed, and its orders. Set pattern and threads, all else zero; free with spmmi_row_orders_free. */
struct spmmi_row_orders {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind; /* ascending in each row */
    int threads;            /* at least 1; never changes an order */
    struct spmmi_row_order list[SPMMI_ORDER_KINDS];
    int count;
};

/* The order of this kind, which is not AUTO; valid until the cache is freed. Errors: ARGUMENT with a sentence where
 * the kind does not fit the pattern (format/order_list.def), MEMORY. */
spmm_status_t spmmi_row_order_of(struct spmmi_row_orders *orders, spmm_reorder_t kind,
                                 const struct spmmi_row_order **order, spmm_diag_t *diag);
void spmmi_row_orders_free(struct spmmi_row_orders *orders);

#endif
