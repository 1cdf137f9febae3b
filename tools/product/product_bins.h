/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the C of a plan by their entries and by their products, in the bins of products without a plan on a GPU. */
#ifndef SPMM_TOOLS_PRODUCT_BINS_H
#define SPMM_TOOLS_PRODUCT_BINS_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Lines of a report, each after a label of so many columns; nothing of the plan of a matrix, or where memory is short.
 * Products are those of both triangles. */
void product_bins_text(FILE *out, const spmm_plan_t *plan, int label);
/* A member "product_rows"; null where the report has no lines. */
void product_bins_json(struct json *j, const spmm_plan_t *plan);

#endif
