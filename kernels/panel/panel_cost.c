/* SPDX-License-Identifier: Apache-2.0 */
/* The terms of the panel family are those of kernels/tcblock/fragment_cost.c; the width of its tiles is its own. */
#include "kernels/tcblock/fragment_cost.h"

#define WINDOW_ROWS 8.0
#define BLOCKS_MANY 8.0 /* of a warp in a step */

/* The widest tile that n fills, but the second widest where blocks are few; numbers of 8 bytes keep to half of it,
 * however few. */
static double tile_of(const struct spmmi_model_query *q)
{
    const struct spmmi_fragment_figures *f = spmmi_fragment_metrics(q)->figures;
    const double narrow = q->number_bytes > 4 ? 16 : 32;
    const int has_many =
        q->number_bytes > 4 || f->blocks >= BLOCKS_MANY * f->unit_rows / WINDOW_ROWS * f->steps;
    return q->n <= narrow ? narrow : q->n < 4 * narrow || !has_many ? 2 * narrow : 4 * narrow;
}

int spmmi_panel_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_fragment_terms own = {.tile = tile_of};
    return spmmi_fragment_cost(q, &own, p);
}
