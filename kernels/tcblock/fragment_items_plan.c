/* SPDX-License-Identifier: Apache-2.0 */
/* Items of what fragment_study_plan.c counted: how long they may be, how many there are, and what fits. */
#include <math.h>

#include "fragment_shape.h"
#include "fragment_study_plan.h"

#define PACKED_PADDING 7.0 /* values, at most: of a step of a panel, to 16 bytes */
#define NUMBERED_MOST 0.9

/* Where no unit has more steps than so many items, none is cut, and no sums are added. */
#define UNCUT_BEARABLE 2.0
/* Windows: a warp walks an item, and a multiprocessor takes so many at a time. */
#define WINDOW_ITEMS 32.0
#define WINDOW_STEPS_LEAST 16.0
/* Panels and strips: a block of threads walks an item, for each tile of columns. Only units are cut that are so many
 * times as long as the mean, or, where there are fewer than PANEL_ITEMS a multiprocessor, as the mean of so many. */
#define PANEL_ITEMS 4.0
#define PANEL_COLUMNS_LEAST 1024.0
#define PANEL_BEARABLE 4.0

struct spmmi_fragment_items spmmi_fragment_items(const struct spmmi_fragment_study *study,
                                                 enum spmmi_fragment_unit unit, uint32_t granule)
{
    const struct spmmi_fragment_figures *f = &study->figures[unit];
    struct spmmi_fragment_items sum = {f->units, 0};
    const int64_t units = SPMMI_FRAGMENT_STRIP / f->unit_rows;
    for (int64_t u = 0; u < study->strips * units; u++) {
        const uint32_t steps = study->steps[unit][u];
        const double items = steps / granule + (steps % granule != 0);
        if (items <= 1)
            continue;
        sum.items += study->weight[u / units] * (items - 1);
        sum.partials += study->weight[u / units] * items;
    }
    return sum;
}

bool spmmi_fragment_fits(const struct spmmi_fragment_figures *f, spmm_schedule_t schedule)
{
    const double padding = f->step_columns == SPMMI_FRAGMENT_PANEL_STEP ? PACKED_PADDING * f->steps : 0;
    const double values = schedule == SPMM_SCHEDULE_DENSE ? f->places * f->blocks : f->nnz + padding;
    return fmax(values, f->step_columns * f->steps) <= NUMBERED_MOST * UINT32_MAX;
}

static double window_granule(const struct spmmi_fragment_figures *f, int multiprocessors)
{
    return fmax(ceil(f->steps / (WINDOW_ITEMS * multiprocessors)), WINDOW_STEPS_LEAST);
}

static double panel_granule(const struct spmmi_fragment_figures *f, int multiprocessors)
{
    const double mean = f->steps / fmax(f->units, PANEL_ITEMS * multiprocessors);
    return fmax(ceil(PANEL_BEARABLE * mean), PANEL_COLUMNS_LEAST / f->step_columns);
}

uint32_t spmmi_fragment_granule(const struct spmmi_fragment_figures *figures, int multiprocessors)
{
    const double item = figures->unit_rows == SPMMI_WINDOW_ROWS ? window_granule(figures, multiprocessors)
                                                                : panel_granule(figures, multiprocessors);
    const double wanted = figures->longest <= UNCUT_BEARABLE * item ? fmax(item, figures->longest) : item;
    return (uint32_t)fmin(wanted, SPMMI_STEPS_MAX);
}
