/* SPDX-License-Identifier: Apache-2.0 */
/* One door to all orders of units, rows or segments of rows. */
#ifndef SPMMI_ORDER_UNITS_H
#define SPMMI_ORDER_UNITS_H

#include <spmm/inspector.h>

struct spmmi_order_input {
    int64_t rows, cols;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* ascending in each row */
    uint64_t units;
    const int64_t *unit_ptr;  /* units + 1: whole rows, or as spmmi_units_cut makes it */
    const uint32_t *unit_row; /* the row of each unit; NULL: units are rows */
    int threads;              /* at least 1; never changes the order */
};

#define SPMMI_ORDER_TAU 0.8 /* jaccard, over single columns: docs/reordering.md says why */

/* Does the kind fit? ARGUMENT, with a sentence, for rcm and a matrix that is not square, and for jaccard and more than
 * SPMMI_JACCARD_UNITS_MAX units. */
spmm_status_t spmmi_order_check(spmm_reorder_t kind, int64_t rows, int64_t cols, uint64_t units,
                                spmm_diag_t *diag);

/* order[units] by this kind, neither AUTO nor NONE; rcm orders the rows and keeps the segments of one together,
 * ascending. Errors: as spmmi_order_check; MEMORY. */
spmm_status_t spmmi_order_units(const struct spmmi_order_input *in, spmm_reorder_t kind, uint32_t *order,
                                spmm_diag_t *diag);

#endif
