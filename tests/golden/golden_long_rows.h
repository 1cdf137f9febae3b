/* SPDX-License-Identifier: Apache-2.0 */
/* What is changed in good golden plans to make bad ones of their long rows: window_peeled, if nothing else is said,
 * with parts 0 and 1, 78 rows in order and 22 split off ones. */
#ifndef SPMM_TESTS_GOLDEN_LONG_ROWS_H
#define SPMM_TESTS_GOLDEN_LONG_ROWS_H

#include "format/plan.h"

void peeled_rows_fewer(spmm_plan_t *p);
void peeled_all(spmm_plan_t *p);
void peeled_none(spmm_plan_t *p);
void peeled_row_twice(spmm_plan_t *p);
void peeled_row_of_both(spmm_plan_t *p);
void peeled_row_beyond(spmm_plan_t *p);
void peeled_row_empty(spmm_plan_t *p); /* an empty row is split off, and a split off one is not */
void peeled_others_swapped(spmm_plan_t *p);
void peeled_first(spmm_plan_t *p);
void peeled_of_another_op(spmm_plan_t *p);
void peeled_permutes(spmm_plan_t *p);
void peeled_row_split(spmm_plan_t *p);
void peeled_not_flagged(spmm_plan_t *p);
void peeled_left_out(spmm_plan_t *p);
void peeled_alone(spmm_plan_t *p);
void long_rows_of_transpose_twice(spmm_plan_t *p); /* panel_peeled: its parts 2 and 3 */
void two_plain_parts(spmm_plan_t *p);              /* both_ops_row_split */

#endif
