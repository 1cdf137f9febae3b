/* SPDX-License-Identifier: Apache-2.0 */
/* The panel family in the cost model. */
#ifndef SPMMI_PANEL_COST_H
#define SPMMI_PANEL_COST_H

#include "inspector/cost/cost_model.h"

spmmi_cost_fn spmmi_panel_cost;

#endif
