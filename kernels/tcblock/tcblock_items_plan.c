/* SPDX-License-Identifier: Apache-2.0 */
/* Items for the units that tcblock_analysis_plan.c counted: their length and number, and whether indices
 * fit. */
#include <math.h>

#include "tcblock_shape.h"
#include "tcblock_analysis_plan.h"

#define PACKED_PADDING 7.0 /* maximum padding values per panel step, to 16 bytes */
#define NUMBERED_MAX 0.9

/* If no unit is longer than this number of items, no unit is split, and no sums are added. */
#define UNCUT_BEARABLE 2.0
/* Row windows: a warp processes an item. WINDOW_ITEMS: items of a multiprocessor at a time. */
#define WINDOW_ITEMS 32.0
#define WINDOW_STEPS_MIN 16.0
/* Row blocks and block-row groups: a thread block processes an item per tile of columns. Only units longer
 * than PANEL_LIMIT times the mean are split. With fewer than PANEL_ITEMS units per multiprocessor, the mean
 * is taken over PANEL_ITEMS units per multiprocessor. */
#define PANEL_ITEMS 4.0
#define PANEL_COLUMNS_MIN 1024.0
#define PANEL_LIMIT 4.0

struct spmmi_tcblock_items spmmi_tcblock_items(const struct spmmi_tcblock_analysis *analysis,
                                               enum spmmi_tcblock_unit unit, uint32_t item_size)
{
    const struct spmmi_tcblock_counts *f = &analysis->counts[unit];
    struct spmmi_tcblock_items sum = {f->units, 0};
    const int64_t units = SPMMI_TCBLOCK_CHUNK / f->unit_rows;
    for (int64_t u = 0; u < analysis->chunks * units; u++) {
        const uint32_t steps = analysis->steps[unit][u];
        const double items = steps / item_size + (steps % item_size != 0);
        if (items <= 1)
            continue;
        sum.items += analysis->weight[u / units] * (items - 1);
        sum.partials += analysis->weight[u / units] * items;
    }
    return sum;
}

bool spmmi_tcblock_fits(const struct spmmi_tcblock_counts *f, spmm_schedule_t schedule)
{
    const double padding = f->step_columns == SPMMI_TCBLOCK_PANEL_STEP ? PACKED_PADDING * f->steps : 0;
    const double values = schedule == SPMM_SCHEDULE_DENSE ? f->positions * f->blocks : f->nnz + padding;
    return fmax(values, f->step_columns * f->steps) <= NUMBERED_MAX * UINT32_MAX;
}

static double window_item_size(const struct spmmi_tcblock_counts *f, int multiprocessors)
{
    return fmax(ceil(f->steps / (WINDOW_ITEMS * multiprocessors)), WINDOW_STEPS_MIN);
}

static double panel_item_size(const struct spmmi_tcblock_counts *f, int multiprocessors)
{
    const double mean = f->steps / fmax(f->units, PANEL_ITEMS * multiprocessors);
    return fmax(ceil(PANEL_LIMIT * mean), PANEL_COLUMNS_MIN / f->step_columns);
}

uint32_t spmmi_tcblock_item_size(const struct spmmi_tcblock_counts *counts, int multiprocessors)
{
    const double item = counts->unit_rows == SPMMI_WINDOW_ROWS ? window_item_size(counts, multiprocessors)
                                                               : panel_item_size(counts, multiprocessors);
    const double wanted = counts->longest <= UNCUT_BEARABLE * item ? fmax(item, counts->longest) : item;
    return (uint32_t)fmin(wanted, SPMMI_STEPS_MAX);
}
