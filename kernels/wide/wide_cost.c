/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the wide family. They follow the launch: a thread block reads all of B in its column tile,
 * and each entry of A reads one row of that tile from shared memory. */
#include "wide_cost.h"

#include <math.h>

#include "wide_shape.h"

#define INDEX_BYTES 2.0 /* per entry */
#define VALUE_BYTES 4.0
#define ENTRY_BYTES (INDEX_BYTES + VALUE_BYTES)
#define ROW_BYTES ((double)SPMMI_WIDE_ROW_BYTES)
#define GROUPS ((double)SPMMI_WIDE_GROUPS)
#define LANES ((double)SPMMI_WIDE_LANES)
#define BLOCKS ((double)SPMMI_WIDE_BLOCKS)
#define ENTRY_ISSUE 7.0  /* instructions per entry and warp */
#define PHASE_ISSUE 30.0 /* instructions per phase and warp */
#define ISSUE_PER_CYCLE 4.0
#define ENTRY_CYCLES 10.0  /* per entry of a single warp */
#define PHASE_CYCLES 100.0 /* per phase */
#define PAD 1.5 /* padding of rows with one nonzero per panel; it falls with this power of their number */
#define PAD_POWER (-1.4)
#define PAD_MAX 8.0

struct shape {
    double tiles, slices, panels, group_rows;
    double row_blocks; /* thread blocks per column tile */
    double entries;    /* entries per column tile, padding included */
    double uneven;     /* blocks of the busiest multiprocessor over the mean */
};

static struct shape shape_of(const struct spmmi_model_query *q)
{
    const struct spmmi_model_matrix *m = q->matrix;
    const uint32_t multiprocessors = (uint32_t)q->profile->multiprocessors;
    const uint32_t rows = (uint32_t)m->rows, group_rows = spmmi_wide_group_rows(rows);
    struct shape s = {.tiles = ceil(q->n * VALUE_BYTES / ROW_BYTES),
                      .slices = spmmi_wide_slices(rows, group_rows),
                      .panels = spmmi_wide_panels((uint32_t)m->cols),
                      .group_rows = group_rows};
    const double each = m->nnz / (m->rows * s.panels); /* nonzeros of a row in a panel */
    s.row_blocks = ceil(s.slices / spmmi_wide_warps((uint32_t)s.slices, (uint32_t)s.tiles, multiprocessors));
    s.entries = m->nnz * (1 + fmin(PAD * pow(each, PAD_POWER), PAD_MAX));
    s.uneven = ceil(s.row_blocks * s.tiles / multiprocessors) * multiprocessors / (s.row_blocks * s.tiles);
    return s;
}

/* Column-major products convert B and C; they were not measured and get no prediction. */
int spmmi_wide_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    if (d->target == SPMMI_TARGET_CPU || q->is_col_major || m->nnz == 0)
        return 0;
    const struct shape s = shape_of(q);
    const double a = s.entries * ENTRY_BYTES, own = q->n * VALUE_BYTES,
                 phases = s.slices * s.panels * s.tiles;
    const double b_staged = s.row_blocks * m->cols * ROW_BYTES * s.tiles;
    const double stream = spmmi_profile_table_at(&d->gather, 512, fmin(m->cols * own, d->l2_bytes));
    p->term[SPMMI_TERM_DRAM] = (a + (m->cols + m->rows) * own) / d->copy_rate;
    p->term[SPMMI_TERM_L2] = (b_staged + a * s.tiles) / stream;
    /* Each entry of A is loaded to the registers of all lanes of its group. */
    p->term[SPMMI_TERM_L1] =
        s.uneven * ((s.entries * ROW_BYTES + LANES * a) * s.tiles + b_staged) / d->shared_rate;
    p->term[SPMMI_TERM_ALU] = s.uneven * 2 * s.entries * ROW_BYTES / VALUE_BYTES * s.tiles / d->fma_f32;
    p->term[SPMMI_TERM_ISSUE] = s.uneven *
                                (s.entries / GROUPS * ENTRY_ISSUE * s.tiles + phases * PHASE_ISSUE) /
                                (ISSUE_PER_CYCLE * d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_WAVES] =
        ceil(s.row_blocks * s.tiles / (BLOCKS * d->multiprocessors)) * s.panels * PHASE_CYCLES / d->clock_hz;
    p->term[SPMMI_TERM_LONGEST] = m->longest * s.group_rows * ENTRY_CYCLES / d->clock_hz;
    return 1;
}
