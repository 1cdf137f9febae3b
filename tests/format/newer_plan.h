/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as a later version of the library would write them, opened for forging. */
#ifndef TEST_NEWER_PLAN_H
#define TEST_NEWER_PLAN_H

#include "tests/support/forge.h"

#define NEWER_WRITER "spmm-inspector 0.9.0"

/* Returns a plan with this writer; "": without a section for the writer. Free it with forge_free. */
struct forge *newer_plan(const char *writer);
/* Replaces the text of the writer's section. */
void newer_plan_writer(struct forge *forge, const char *text, size_t length);

#endif
