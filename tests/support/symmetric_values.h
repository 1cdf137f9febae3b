/* SPDX-License-Identifier: Apache-2.0 */
/* Values for plans of symmetric patterns. */
#ifndef TEST_SYMMETRIC_VALUES_H
#define TEST_SYMMETRIC_VALUES_H

#include "format/plan.h"

/* Any bits in the upper triangle and on the diagonal, zeros and NaNs too, and the same in the lower one, with the other
 * sign if the matrix is to be skew. Statistics and digests are made anew. */
void test_symmetric_values(spmm_plan_t *plan, int is_skew);

#endif
