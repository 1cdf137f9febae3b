/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the plan of a sparse product that a file can contain and a load refuses. */
#ifndef GOLDEN_PRODUCT_H
#define GOLDEN_PRODUCT_H

#include "format/plan.h"

void golden_product_columns_swapped(spmm_plan_t *plan);
void golden_product_column_beyond(spmm_plan_t *plan);
void golden_product_has_values(spmm_plan_t *plan);
void golden_product_is_permuted(spmm_plan_t *plan);
void golden_product_has_parts(spmm_plan_t *plan);
void golden_product_above_diagonal(spmm_plan_t *plan);

#endif
