/* SPDX-License-Identifier: Apache-2.0 */
/* Reports about the plan of a product. */
#ifndef SPMM_TOOLS_PRODUCT_REPORT_H
#define SPMM_TOOLS_PRODUCT_REPORT_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Returns the number of operands of the product; 0 if the plan is of a matrix. */
int product_report_operands(const spmm_plan_t *plan);
/* Prints the lines of the report. label is the width of the label of each line. Prints nothing for the plan
 * of a matrix. */
void product_report_text(FILE *out, const spmm_plan_t *plan, int label);
/* Writes the member "product", which is null for the plan of a matrix. */
void product_report_json(struct json *j, const spmm_plan_t *plan);

#endif
