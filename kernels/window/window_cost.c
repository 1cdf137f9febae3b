/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the window family are those of kernels/tcblock/fragment_cost.c; the width of its tiles is its own. */
#include "kernels/tcblock/fragment_cost.h"

/* 8 lanes load 8 or 16 bytes each, or twice 16. */
static double tile_of(const struct spmmi_model_query *q)
{
    const double whole = 128 / q->number_bytes, half = q->number_bytes > 4 ? whole : whole / 2;
    return q->n <= half ? half : q->n <= whole ? whole : 2 * whole;
}

int spmmi_window_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_fragment_terms own = {.is_window = 1, .tile = tile_of};
    return spmmi_fragment_cost(q, &own, p);
}
