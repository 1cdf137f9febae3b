/* SPDX-License-Identifier: Apache-2.0 */
/* What the panel family tells the refined model. */
#ifndef SPMMI_PANEL_COST_H
#define SPMMI_PANEL_COST_H

#include "inspector/cost/cost_model.h"

spmmi_cost_fn spmmi_panel_cost;

#endif
