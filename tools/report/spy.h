/* SPDX-License-Identifier: Apache-2.0 */
/* Spy plots: where a matrix has its nonzeros, as a picture of at most 512 x 512 pixels of the density there. */
#ifndef SPMM_TOOLS_SPY_H
#define SPMM_TOOLS_SPY_H

#include "html.h"

#define SPY_PIXELS 512

struct spy {
    const spmm_csr_t *a;             /* row pointers int64, columns int32, as in spmm_plan_csr */
    const uint32_t *row_at, *col_at; /* where row i and column j are drawn; NULL: at i, at j */
};

/* The picture, with a text that says what it shows, and a caption. A matrix without entries has a sentence
 * instead. Takes 2.5 MB beside the matrix. Errors: MEMORY. */
spmm_status_t spy_picture(struct html *h, const struct spy *spy, const char *caption, spmm_diag_t *diag);

#endif
