/* SPDX-License-Identifier: Apache-2.0 */
/* The test whether all values of A are equal. */
#ifndef SPMMI_EQUAL_VALUES_H
#define SPMMI_EQUAL_VALUES_H

#include "format/plan.h"

/* Returns true if the plan has values and all of them have the same bits. Uses up to `threads` threads and
 * stops at the first difference. */
int spmmi_plan_has_equal_values(const spmm_plan_t *plan, int threads);

#endif
