/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs say of the plan of a product. */
#ifndef SPMM_TOOLS_PRODUCT_REPORT_H
#define SPMM_TOOLS_PRODUCT_REPORT_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Operands of the product; 0: the plan is of a matrix. */
int product_report_operands(const spmm_plan_t *plan);
/* Lines of a report, each after a label of so many columns. Nothing for the plan of a matrix. */
void product_report_text(FILE *out, const spmm_plan_t *plan, int label);
/* A member "product"; null for the plan of a matrix. */
void product_report_json(struct json *j, const spmm_plan_t *plan);

#endif
