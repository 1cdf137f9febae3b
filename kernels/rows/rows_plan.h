/* SPDX-License-Identifier: Apache-2.0 */
/* What other planners need of the rows family. */
#ifndef SPMMI_ROWS_PLAN_H
#define SPMMI_ROWS_PLAN_H

#include "inspector/cost/cost_model.h"

/* Item size of the rows family: nonzeros that one lane group processes in one go. Short items keep many in flight. */
#define SPMMI_ROWS_ITEM_SIZE 8u

spmmi_cost_fn spmmi_rows_cost;

#endif
