/* SPDX-License-Identifier: Apache-2.0 */
/* Spy plots: pictures of at most 512 x 512 pixels that show the density of the nonzeros. */
#ifndef SPMM_TOOLS_SPY_H
#define SPMM_TOOLS_SPY_H

#include "html.h"

#define SPY_PIXELS 512

struct spy {
    const spmm_csr_t *a;             /* row pointers int64, columns int32, as spmm_plan_csr returns them */
    const uint32_t *row_at, *col_at; /* positions at which row i and column j are drawn; NULL: i and j */
};

/* Writes the picture, with an alternative text and a caption, or a sentence if the matrix has no nonzeros.
 * Needs at most 2.5 MB of memory. Errors: MEMORY. */
spmm_status_t spy_picture(struct html *h, const struct spy *spy, const char *caption, spmm_diag_t *diag);

#endif
