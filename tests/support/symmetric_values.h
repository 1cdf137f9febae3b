/* SPDX-License-Identifier: Apache-2.0 */
/* Values for plans with symmetric patterns. */
#ifndef TEST_SYMMETRIC_VALUES_H
#define TEST_SYMMETRIC_VALUES_H

#include "format/plan.h"

/* Sets random bits in the upper triangle and on the diagonal, including zeros and NaNs, and the same values
 * in the lower triangle, with the opposite sign if is_skew. Recomputes statistics and digests. */
void test_symmetric_values(spmm_plan_t *plan, int is_skew);

#endif
