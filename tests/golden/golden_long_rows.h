/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of good golden plans that make bad ones, by breaking rules of long rows. Unless noted otherwise the
 * plan is window_peeled: part 0 has 78 rows in order, part 1 has the 22 rows that were split off. */
#ifndef SPMM_TESTS_GOLDEN_LONG_ROWS_H
#define SPMM_TESTS_GOLDEN_LONG_ROWS_H

#include "format/plan.h"

void peeled_rows_fewer(spmm_plan_t *p);
void peeled_all(spmm_plan_t *p);
void peeled_none(spmm_plan_t *p);
void peeled_row_twice(spmm_plan_t *p);
void peeled_row_of_both(spmm_plan_t *p);
void peeled_row_beyond(spmm_plan_t *p);
void peeled_row_empty(spmm_plan_t *p); /* an empty row is split off in place of a long one */
void peeled_others_swapped(spmm_plan_t *p);
void peeled_first(spmm_plan_t *p);
void peeled_of_another_op(spmm_plan_t *p);
void peeled_permutes(spmm_plan_t *p);
void peeled_row_split(spmm_plan_t *p);
void peeled_not_flagged(spmm_plan_t *p);
void peeled_left_out(spmm_plan_t *p);
void peeled_alone(spmm_plan_t *p);
void long_rows_of_transpose_twice(spmm_plan_t *p); /* panel_peeled: parts 2 and 3 */
void two_plain_parts(spmm_plan_t *p);              /* both_ops_row_split */

#endif
