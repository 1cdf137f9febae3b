/* SPDX-License-Identifier: Apache-2.0 */
/* Are all values of A the same? */
#ifndef SPMMI_EQUAL_VALUES_H
#define SPMMI_EQUAL_VALUES_H

#include "format/plan.h"

/* Do all have the same bits? Not where the plan has none. On up to so many threads; none looks behind a difference. */
int spmmi_plan_has_equal_values(const spmm_plan_t *plan, int threads);

#endif
