/* SPDX-License-Identifier: Apache-2.0 */
/* Valid plans with random content: plans that the inspector makes of small matrices with random options,
 * extended by parts, variants and optional sections that it would not choose. */
#ifndef TEST_CONTENT_PLAN_H
#define TEST_CONTENT_PLAN_H

#include "format/plan.h"
#include "stream.h"

/* Returns a plan made from the seed. It passes spmmi_plan_check. Recent plans are cached, so that many plans
 * of one seed cost one inspection. Free it with spmm_plan_destroy. */
spmm_plan_t *test_content_plan(uint64_t seed);
/* Frees the cached plans. */
void test_content_plans_free(void);

/* Makes a part that its family and schedule allow, with its items. */
struct spmmi_part test_content_part(struct test_stream *stream, const spmm_plan_t *plan);
/* Appends a part and a variant. */
void test_content_part_add(struct test_stream *stream, spmm_plan_t *plan);

#endif
