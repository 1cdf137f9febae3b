/* SPDX-License-Identifier: Apache-2.0 */
/* The launch shape of the panel family for predictions; kernels/tcblock/tcblock_cost.c has the cost terms. */
#include "panel_cost.h"

#include <math.h>

#include "format/plan.h"
#include "kernels/tcblock/tcblock_cost.h"
#include "panel_shape.h"

#define STAGE_BYTES 2048.0
#define FULLEST_STEP 1.7 /* fullest step / mean step: 1.1 to 1.9 on eight matrices */
#define STEP_BLOCKS 16.0 /* blocks per window in a step without gaps */
#define STEP_PADDING 7.0 /* maximum number of packed values copied in addition to the values of a step */

/* Returns the thread blocks that a multiprocessor runs at once, as if they had one stage in shared memory.
 * With two stages only two run, but they count as four because each has two steps in flight. STAGE_BYTES
 * allows for stages that are fuller than the mean. */
static double panels_at_a_time(const struct spmmi_model_query *q, const struct spmmi_tcblock_shape *s,
                               const struct spmmi_panel_shape *launch)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double blocks = spmmi_tcblock_value_bytes(q, s) + f->blocks * SPMMI_TCBLOCK_LOCAL_BYTES;
    const double stage = launch->b_bytes + blocks / fmax(f->steps, 1) + STAGE_BYTES;
    return fmax(fmin(launch->resident, floor(q->profile->shared_sm_bytes / stage)), 1);
}

static void read_panel(const struct spmmi_model_query *q, struct spmmi_tcblock_shape *s)
{
    const struct spmmi_tcblock_counts *f = spmmi_tcblock_metrics(q)->counts;
    const double steps = fmax(f->steps, 1), windows = f->unit_rows / SPMMI_WINDOW_ROWS;
    const double blocks = fmin(FULLEST_STEP * f->blocks / steps, STEP_BLOCKS * windows);
    const double values =
        fmin(FULLEST_STEP * f->nnz / steps, f->unit_rows * SPMMI_TCBLOCK_PANEL_STEP + STEP_PADDING);
    const struct spmmi_panel_load load = {.value_bytes = (uint32_t)q->value_bytes,
                                          .windows = (uint32_t)windows,
                                          .is_packed = (uint32_t)s->is_packed,
                                          .blocks = f->blocks,
                                          .steps = f->steps,
                                          .items = spmmi_tcblock_metrics(q)->items,
                                          .multiprocessors = q->profile->multiprocessors,
                                          .step_blocks = (uint32_t)ceil(blocks),
                                          .step_values = (uint32_t)ceil(values)};
    const struct spmmi_panel_shape launch = spmmi_panel_launch(
        &load, spmmi_tcblock_pass_columns(q, s), s->is_wide, (uint32_t)q->profile->shared_block_bytes);
    s->tile = launch.columns;
    s->has_ring = launch.stages > 1 && !s->stores_columns;
    s->resident = panels_at_a_time(q, s, &launch);
}

int spmmi_panel_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    static const struct spmmi_tcblock_terms own = {.is_window = 0, .stores_columns = 1, .launch = read_panel};
    return spmmi_tcblock_cost(q, &own, p);
}
