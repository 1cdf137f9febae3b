/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of format/order_list.def as a table: what plan files, options and messages know of each order of the rows.
 * How one is made is the inspector's (inspector/reorder/order_units.h). */
#ifndef SPMMI_ORDER_H
#define SPMMI_ORDER_H

#include <spmm/plan.h>

/* Rows of the list; all of them but auto are orders that a matrix may be in. */
enum {
    SPMMI_ORDER_ROWS = 0
#define WORD(...) +1
#define ORDER(...) +1
#include "order_list.def"
#undef WORD
#undef ORDER
};
#define SPMMI_ORDER_KINDS (SPMMI_ORDER_ROWS - 1)

/* Of which matrices an order is one. */
enum { SPMMI_MATRICES_ANY, SPMMI_MATRICES_SQUARE };

struct spmmi_order {
    spmm_reorder_t id;
    const char *name, *text;
    int is_made, needs_square; /* is_made: neither auto nor none */
    int64_t units_max;         /* 0: any */
};

/* NULL past the last row, and where there is no such order. */
const struct spmmi_order *spmmi_order_at(int index);
const struct spmmi_order *spmmi_order_of(spmm_reorder_t kind);

/* Is it one that rows are in: any but auto? */
int spmmi_order_is_kind(spmm_reorder_t kind);

#endif
