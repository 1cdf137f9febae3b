/* SPDX-License-Identifier: Apache-2.0 */
/* Load balancing of the tiled family: the decision chart of "Optimizing Tiled Sparse Matrix Multiplication
 * with Performance Modeling on GPUs" (Figure 6). A thread owns a row, so there may be too few thread blocks
 * for the device, or rows of very different lengths. Splitting rows into segments helps in both cases.
 *
 *   U < u_min              segments of U * mu   (underused: as many blocks as multiprocessors)
 *   else sigma/mu > cv_max segments of mu       (uneven: the longest work is the mean row)
 *   else                   whole rows */
#ifndef SPMMI_BALANCE_H
#define SPMMI_BALANCE_H

#include "format/plan.h"
#include "inspector/request.h"

struct spmmi_balance_rule {
    double u_min, cv_max;
    double segment_scale; /* factor on the chart's segment length; the paper has 1 */
    uint32_t segment_min; /* minimum segment length; the paper has 1 */
};

struct spmmi_balance_input {
    double mean, stddev; /* mu and sigma of the rows of op(A) */
    double utilisation;  /* U: scheduled blocks / multiprocessors (Equation 5) */
};

struct spmmi_balance {
    spmm_schedule_t schedule; /* whole or segmented */
    uint32_t segment;         /* maximum number of nonzeros per segment; 0 for whole rows */
    enum spmmi_reason reason; /* UNDERUSED, UNEVEN or EVEN, with its value and threshold */
    double value, threshold;
};

struct spmmi_balance spmmi_balance_choose(const struct spmmi_balance_rule *rule,
                                          const struct spmmi_balance_input *input);

/* Returns U: the row blocks of block_rows units, times the tiles of register_tile columns in n,
 * over the multiprocessors. */
double spmmi_utilisation(uint64_t units, uint32_t block_rows, int64_t n, uint32_t register_tile,
                         int multiprocessors);

/* Returns the tallest row block that still gives blocks_min blocks per
 * multiprocessor, or the lowest if none does. */
uint32_t spmmi_balance_block_rows(uint64_t units, int64_t n, uint32_t register_tile, int multiprocessors,
                                  double blocks_min);

#endif
