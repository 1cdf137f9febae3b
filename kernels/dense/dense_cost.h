/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted times of the dense family. */
#ifndef SPMMI_DENSE_COST_H
#define SPMMI_DENSE_COST_H

#include "inspector/search/planner.h"

int spmmi_dense_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p);

#endif
