/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family in the cost model. */
#ifndef SPMMI_TILED_COST_H
#define SPMMI_TILED_COST_H

#include "inspector/cost/cost_model.h"

struct spmmi_tiled_metrics {
    const spmm_row_block_metrics_t *row_blocks;
    uint32_t register_tile; /* R; spmmi_model_register_tile unless another one was launched */
    double cut_rows;        /* rows with two or more segments */
};

/* Returns R, the register tile of the launch for n columns and this number of units, at least 1.
 * multiprocessors 0: the largest R for n columns. */
uint32_t spmmi_model_register_tile(int64_t n, uint64_t units, spmm_dtype_t dtype, int multiprocessors);
spmmi_cost_fn spmmi_tiled_cost;

#endif
