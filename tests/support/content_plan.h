/* SPDX-License-Identifier: Apache-2.0 */
/* Valid plans of random content: what the inspector makes of small matrices with any options, and parts, variants and
 * optional sections that it would not choose. */
#ifndef TEST_CONTENT_PLAN_H
#define TEST_CONTENT_PLAN_H

#include "format/plan.h"
#include "stream.h"

/* The plan of a seed; the last ones are kept, so that many plans of one seed cost one inspection. Passes
 * spmmi_plan_check. Free with spmm_plan_destroy. */
spmm_plan_t *test_content_plan(uint64_t seed);
/* Gives back what was kept. */
void test_content_plans_free(void);

/* A part that its family and schedule allow, with its items. */
struct spmmi_part test_content_part(struct test_stream *stream, const spmm_plan_t *plan);
/* A part and a variant behind all others. */
void test_content_part_add(struct test_stream *stream, spmm_plan_t *plan);

#endif
