/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of the rows of a pattern, each made when it is first asked for, with its figures, and which may win. */
#ifndef SPMMI_ROW_ORDER_H
#define SPMMI_ROW_ORDER_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "row_figures.h"

#define SPMMI_ORDER_KINDS 5        /* natural, radix, jaccard, minhash, rcm */
#define SPMMI_ORDER_GAIN 0.1       /* least part by which an order must lower blocks or footprints */
#define SPMMI_ORDER_LEAST_HEIGHT 3 /* footprints of panels of 64 rows and more: 8 << 3 */

struct spmmi_row_order {
    spmm_reorder_t kind; /* SPMM_REORDER_NONE: the natural order */
    uint32_t *order;     /* of the rows, owned by the cache; NULL: it is the natural one, whatever the kind */
    double seconds;      /* that it took to make */
    double count_seconds; /* that its figures took */
    struct spmmi_row_figures figures;
};

/* A pattern, borrowed, and its orders. Set pattern and threads, all else zero; free with spmmi_row_orders_free. */
struct spmmi_row_orders {
    int64_t rows, cols;
    const int64_t *row_ptr;
    const int32_t *col_ind; /* ascending in each row */
    int threads;            /* at least 1; changes neither orders nor figures */
    struct spmmi_row_order list[SPMMI_ORDER_KINDS];
    int count;
};

/* The order of this kind, which is not AUTO; valid until the cache is freed. Errors: ARGUMENT with a sentence where
 * the kind does not fit the pattern (rcm: it is not square; jaccard: it has more than SPMMI_JACCARD_UNITS_MAX rows),
 * MEMORY. */
spmm_status_t spmmi_row_order_of(struct spmmi_row_orders *orders, spmm_reorder_t kind,
                                 const struct spmmi_row_order **order, spmm_diag_t *diag);

/* What a caller who asked for `wanted` has the choice of: candidates[0] is the natural order; behind it, for AUTO,
 * those of minhash, rcm (square patterns only) and radix that pass the gate, in this order; for a kind the order of
 * that kind, unless it is the natural one; for NONE nothing. The gate: blocks of 8 x 8, or the footprint of panels of
 * 64, 128 or 256 rows, fall by SPMMI_ORDER_GAIN or more. Every order that was made stays in the cache with its
 * figures, also if the gate dropped it. Errors: as above. */
spmm_status_t spmmi_row_order_candidates(struct spmmi_row_orders *orders, spmm_reorder_t wanted,
                                         const struct spmmi_row_order *candidates[SPMMI_ORDER_KINDS],
                                         int *count, spmm_diag_t *diag);

/* Does the gate let the order through? */
bool spmmi_row_order_gains(const struct spmmi_row_figures *natural, const struct spmmi_row_figures *order);

void spmmi_row_orders_free(struct spmmi_row_orders *orders);

#endif
