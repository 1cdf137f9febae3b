/* SPDX-License-Identifier: Apache-2.0 */
/* A plan file as text: everything it holds, with floating-point numbers as their bits. */
#ifndef TEST_PLAN_DUMP_H
#define TEST_PLAN_DUMP_H

#include <stdio.h>

#include "format/plan.h"

/* The plan must come from a file: its sections are printed too. */
void test_plan_dump(const spmm_plan_t *plan, FILE *out);

#endif
