/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that predictions of the rows family on GPUs and on CPUs share. */
#ifndef SPMMI_ROWS_COST_H
#define SPMMI_ROWS_COST_H

#include "rows_plan.h"

#define SPMMI_ROWS_INDEX_BYTES 4.0
#define SPMMI_ROWS_L2_USED 0.7 /* share of a cache that one stream of reuse can hold */
#define SPMMI_ROWS_L1_USED 0.7

/* On a CPU: fills the terms of the prediction. */
void spmmi_rows_cpu_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p);

#endif
