/* SPDX-License-Identifier: Apache-2.0 */
/* See setup_steps.h. */
#include <math.h>

#include "setup_steps.h"

/* Returns the sum of the absolute values of a row, in the summation order of a GPU warp. */
static double absolute_sum(const double *values, int32_t count)
{
    double sum[SETUP_STEPS_LANES] = {0};
    for (int32_t p = 0; p < count; p++)
        sum[p % SETUP_STEPS_LANES] += fabs(values[p]);
    for (int half = SETUP_STEPS_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            sum[lane] += sum[lane + half];
    return sum[0];
}

static int diagonal_of(const spmm_csr_t *a, double *inverse, double *bound)
{
    const int32_t *row_ptr = a->row_ptr, *col_ind = a->col_ind;
    const double *values = a->values;
    *bound = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        double diagonal = 0;
        for (int32_t p = row_ptr[i]; p < row_ptr[i + 1]; p++)
            diagonal = col_ind[p] == i ? values[p] : diagonal;
        inverse[i] = 1 / diagonal;
        const double sum = absolute_sum(values + row_ptr[i], row_ptr[i + 1] - row_ptr[i]);
        const double ratio = diagonal > 0 ? sum / diagonal : NAN;
        *bound = isnan(*bound) || ratio <= *bound ? *bound : ratio; /* NaN stays */
    }
    return 1;
}

static int smooth(const spmm_csr_t *p, const int32_t *t_columns, const double *inverse, const double *bound,
                  double *values)
{
    const int32_t *row_ptr = p->row_ptr, *col_ind = p->col_ind;
    const double omega = 3 / *bound;
    for (int64_t i = 0; i < p->rows; i++)
        for (int32_t q = row_ptr[i]; q < row_ptr[i + 1]; q++)
            values[q] = (col_ind[q] == t_columns[i]) - omega * inverse[i] * values[q];
    return 1;
}

static int gather(const double *values, const int32_t *from, double *to, int64_t count)
{
    for (int64_t q = 0; q < count; q++)
        to[q] = values[from[q]];
    return 1;
}

const struct setup_steps setup_steps_cpu = {diagonal_of, smooth, gather};
