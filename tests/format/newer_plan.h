/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as a later library would write them, taken apart. */
#ifndef TEST_NEWER_PLAN_H
#define TEST_NEWER_PLAN_H

#include "tests/support/forge.h"

#define NEWER_WRITER "spmm-inspector 0.9.0"

/* "": without a section for it. */
struct forge *newer_plan(const char *writer);
/* Another text in that section. */
void newer_plan_writer(struct forge *forge, const char *text, size_t length);

#endif
