/* SPDX-License-Identifier: Apache-2.0 */
/* Cost terms of the rows family on CPUs; rows_cost.c has the terms for GPUs. */
#include <math.h>

#include "rows_cost.h"

/* Each core processes whole items. The terms of memory depend on the caches that rows of B are read from. */
void spmmi_rows_cpu_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p)
{
    const struct spmmi_device_profile *d = q->profile;
    const struct spmmi_model_matrix *m = q->matrix;
    const double line = 64;
    const double row = ceil(q->n * q->value_bytes / line) * line;
    const double own = q->n * q->value_bytes;
    const struct spmmi_model_hit l2 =
        spmmi_model_hits(m, &m->by_rows, SPMMI_ROWS_L2_USED * d->l2_bytes / row, 0);
    const struct spmmi_model_hit l1 =
        spmmi_model_hits(m, &m->by_rows, SPMMI_ROWS_L1_USED * d->l1_bytes / row, 0);
    p->l1_share = fmin(l1.share, l2.share);
    p->l2_share = l2.share;
    const double a = m->nnz * (SPMMI_ROWS_INDEX_BYTES + q->value_bytes);
    const double b = m->nnz * own;
    const double fma = q->value_bytes > 4 ? d->fma_f64 : d->fma_f32;
    p->term[SPMMI_TERM_DRAM] = (a + m->nnz * row * (1 - l2.share) + m->rows * own) / d->copy_rate;
    p->term[SPMMI_TERM_L2] = b * (1 - p->l1_share) /
                             spmmi_profile_table_at(&d->gather, own, fmin(m->cols_used * row, d->l2_bytes));
    p->term[SPMMI_TERM_L1] = b / d->l1_rate;
    p->term[SPMMI_TERM_ALU] = 2 * m->nnz * q->n / fma;
    p->term[SPMMI_TERM_ISSUE] = m->nnz * (1 + own / 64) / (d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_WAVES] = m->rows * 10 / (d->multiprocessors * d->clock_hz);
    p->term[SPMMI_TERM_LONGEST] = q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT
                                      ? m->longest * q->n * 2 * d->multiprocessors / fma
                                      : 0;
    if (q->is_col_major)
        p->term[SPMMI_TERM_CONVERT] = 2 * (m->cols + m->rows) * own / d->copy_rate;
}
