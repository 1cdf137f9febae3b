/* SPDX-License-Identifier: Apache-2.0 */
/* What executors of the product of a plan keep, and predicted times. */
#ifndef SPMM_TOOLS_COSTS_REPORT_H
#define SPMM_TOOLS_COSTS_REPORT_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Lines of a report, each after a label of so many columns; nothing of the plan of a matrix, or where memory or the
 * budget (0: none) is short. */
void product_costs_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label);
/* The same and the rows of C (product_bins.h); members "product_costs", null where the report has no lines, and
 * "product_rows". */
void product_details_text(FILE *out, const spmm_plan_t *plan, uint64_t budget, int label);
void product_details_json(struct json *j, const spmm_plan_t *plan, uint64_t budget);

#endif
