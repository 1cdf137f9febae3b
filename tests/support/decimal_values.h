/* SPDX-License-Identifier: Apache-2.0 */
/* f64 values as they occur in text files. */
#ifndef TEST_DECIMAL_VALUES_H
#define TEST_DECIMAL_VALUES_H

#include "format/plan.h"

/* Sets decimal numbers of up to six digits, including zeros of both signs. Recomputes statistics and
 * digests. */
void test_decimal_values(spmm_plan_t *plan);

#endif
