/* SPDX-License-Identifier: Apache-2.0 */
/* A plan file as text: all its contents, with floating-point numbers as bits. */
#ifndef TEST_PLAN_DUMP_H
#define TEST_PLAN_DUMP_H

#include <stdio.h>

#include "format/plan.h"

/* Prints the plan. It must have been loaded from a file, because its sections are printed too. */
void test_plan_dump(const spmm_plan_t *plan, FILE *out);

#endif
