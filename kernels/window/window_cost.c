/* SPDX-License-Identifier: Apache-2.0 */
/* The launch shape of the window family for predictions; kernels/tcblock/tcblock_cost.c has the cost terms.
 * Constants named _STEPS are in units of SPMMI_MODEL_STEP_CYCLES. */
#include "window_cost.h"
#include "kernels/tcblock/tcblock_cost.h"
#include "window_shape.h"

#define WINDOW_WARPS_SM 32.0
#define NARROW_STEPS 0.5 /* per step of a narrow tile, divided by the steps in flight */
#define WIDE_STEPS 1.0   /* per step of a wide tile */

static void read_window(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s)
{
    const struct spmmi_window_shape launch =
        spmmi_window_launch(spmmi_tcblock_pass_columns(q, s), (uint32_t)q->value_bytes, s->is_wide);
    s->tile = launch.columns;
    s->step_steps = launch.repeat > 1 ? WIDE_STEPS : NARROW_STEPS / launch.unroll;
    s->resident = WINDOW_WARPS_SM;
}

int spmmi_window_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_tcblock_terms own = {.is_window = 1, .launch = read_window};
    return spmmi_tcblock_cost(q, &own, p);
}
