/* SPDX-License-Identifier: Apache-2.0 */
/* The bcsr family in the cost model. */
#ifndef SPMMI_BCSR_COST_H
#define SPMMI_BCSR_COST_H

#include "inspector/cost/cost_model.h"

spmmi_cost_fn spmmi_bcsr_cost;

#endif
