/* SPDX-License-Identifier: Apache-2.0 */
/* See tiled_chart_plan.h. */
#include "tiled_chart_plan.h"

#include <math.h>

/* Rounds a segment length to the nearest positive integer: a length below 1 would not
 * split a segment any further. */
static uint32_t segment_of(const struct spmmi_balance_rule *rule, double length)
{
    const double scaled = fmax(nearbyint(length * rule->segment_scale), (double)rule->segment_min);
    return (uint32_t)fmin(fmax(scaled, 1), SPMMI_ROW_SEGMENT_MAX);
}

struct spmmi_balance spmmi_balance_choose(const struct spmmi_balance_rule *rule,
                                          const struct spmmi_balance_input *input)
{
    const double variation = input->mean > 0 ? input->stddev / input->mean : 0;
    if (input->mean > 0 && input->utilisation < rule->u_min)
        return (struct spmmi_balance){SPMM_SCHEDULE_SEGMENTED,
                                      segment_of(rule, input->utilisation * input->mean),
                                      SPMMI_REASON_UNDERUSED, input->utilisation, rule->u_min};
    if (variation > rule->cv_max)
        return (struct spmmi_balance){SPMM_SCHEDULE_SEGMENTED, segment_of(rule, input->mean),
                                      SPMMI_REASON_UNEVEN, variation, rule->cv_max};
    return (struct spmmi_balance){SPMM_SCHEDULE_WHOLE, 0, SPMMI_REASON_EVEN, variation, rule->cv_max};
}

double spmmi_utilisation(uint64_t units, uint32_t block_rows, int64_t n, uint32_t register_tile,
                         int multiprocessors)
{
    const uint64_t row_blocks = units / block_rows + (units % block_rows != 0);
    const int64_t tiles = n / register_tile + (n % register_tile != 0);
    return (double)row_blocks * (double)tiles / multiprocessors;
}

uint32_t spmmi_balance_block_rows(uint64_t units, int64_t n, uint32_t register_tile, int multiprocessors,
                                  double blocks_min)
{
    uint32_t block_rows = SPMMI_BLOCK_ROWS_MAX;
    while (block_rows > SPMMI_BLOCK_ROWS_MIN &&
           spmmi_utilisation(units, block_rows, n, register_tile, multiprocessors) < blocks_min)
        block_rows /= 2;
    return block_rows;
}
