/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions of the rows family that other planners use. */
#ifndef SPMMI_ROWS_PLAN_H
#define SPMMI_ROWS_PLAN_H

#include "inspector/cost/cost_model.h"

/* Item size of the rows family: nonzeros that one lane group processes in one go. With short items many are
 * in flight. */
#define SPMMI_ROWS_ITEM_SIZE 8u

spmmi_cost_fn spmmi_rows_cost;

#endif
