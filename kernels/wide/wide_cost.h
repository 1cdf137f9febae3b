/* SPDX-License-Identifier: Apache-2.0 */
/* The cost function of the wide family (docs/model.md). */
#ifndef SPMMI_WIDE_COST_H
#define SPMMI_WIDE_COST_H

#include "inspector/cost/cost_model.h"

int spmmi_wide_cost(const struct spmmi_model_query *q, struct spmmi_prediction *p);

#endif
