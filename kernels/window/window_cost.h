/* SPDX-License-Identifier: Apache-2.0 */
/* The window family in the cost model. */
#ifndef SPMMI_WINDOW_COST_H
#define SPMMI_WINDOW_COST_H

#include "inspector/cost/cost_model.h"

spmmi_cost_fn spmmi_window_cost;

#endif
