/* SPDX-License-Identifier: Apache-2.0 */
/* f64 values as text files have them. */
#ifndef TEST_DECIMAL_VALUES_H
#define TEST_DECIMAL_VALUES_H

#include "format/plan.h"

/* Decimal numbers of up to six digits, zeros of both signs too. Statistics and digests are made anew. */
void test_decimal_values(spmm_plan_t *plan);

#endif
