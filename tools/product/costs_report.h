/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the memory of executors for the product of a plan, and predicted times. */
#ifndef SPMM_TOOLS_COSTS_REPORT_H
#define SPMM_TOOLS_COSTS_REPORT_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Prints the lines of the report. label is the width of the label of each line. Prints nothing if the plan is
 * not of a product, or if memory or the budget (0: no budget) is too small. */
void product_costs_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label);
/* Print or write the costs and the rows of C (product_bins.h). The JSON members are "product_costs", which is
 * null if there are no costs, and "product_rows". */
void product_details_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label);
void product_details_json(struct json *j, const spmm_plan_t *plan, uint64_t budget);

#endif
