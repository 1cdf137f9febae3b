/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_columns_cost.h. */
#include "rows_columns_cost.h"

#include "rows_columns_shape.h"

#define SECTOR 32.0

int spmmi_rows_cost_keeps_columns(const struct spmmi_model_query *q)
{
    const struct spmmi_model_matrix *const m = q->matrix;
    const uint32_t target = q->profile->target;
    if (!q->is_col_major || (target != SPMMI_TARGET_ANY && target < SPMMI_ROWS_KEPT_TARGET) ||
        (q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT && m->rows_used < m->rows))
        return 0;
    return spmmi_rows_keeps_columns((int64_t)m->rows, (int64_t)m->nnz, (int64_t)q->n,
                                    (uint32_t)q->value_bytes);
}

int spmmi_rows_cost_teams_store(const struct spmmi_model_query *q, double team)
{
    return q->is_col_major && q->n > 1 && q->candidate->schedule == SPMM_SCHEDULE_ROW_SPLIT &&
           spmmi_rows_teams_store_directly((int64_t)q->matrix->rows, (int64_t)q->n, (uint32_t)team,
                                           (uint32_t)q->value_bytes);
}

int spmmi_rows_cost_stores_directly(const struct spmmi_model_query *q)
{
    return q->is_col_major &&
           spmmi_rows_stores_directly((int64_t)q->matrix->rows, (int64_t)q->matrix->nnz, (int64_t)q->n);
}

/* Teams store all at once when they end, in sectors that neighbouring rows share. Other kernels store while
 * they gather. */
double spmmi_rows_cost_stores(const struct spmmi_model_query *q, double team, double stream)
{
    const double values = q->matrix->rows * q->n;
    if (team > 0)
        return values * SECTOR / (double)spmmi_rows_teams_near((uint32_t)team, (uint32_t)q->value_bytes) /
               stream;
    return values * q->value_bytes / spmmi_profile_curve_at(&q->profile->scatter, q->value_bytes);
}
