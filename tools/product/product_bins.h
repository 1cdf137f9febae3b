/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of the rows of C of a product plan, by their nonzeros and by their products. The bins are those
 * of products without a plan on a GPU. */
#ifndef SPMM_TOOLS_PRODUCT_BINS_H
#define SPMM_TOOLS_PRODUCT_BINS_H

#include <spmm/product.h>
#include <stdio.h>

#include "tools/cli/json.h"

/* Prints the lines of the report. label is the width of the label of each line. Prints nothing if the plan is
 * not of a product or if memory is short. Products of both triangles count. */
void product_bins_text(FILE *out, const spmm_plan_t *plan, int label);
/* Writes the member "product_rows"; null if the text report has no lines. */
void product_bins_json(struct json *j, const spmm_plan_t *plan);

#endif
