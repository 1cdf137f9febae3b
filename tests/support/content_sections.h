/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as a file whose sections may say what no plan in memory can: wrong lengths, sizes, reserved bytes, order. */
#ifndef TEST_CONTENT_SECTIONS_H
#define TEST_CONTENT_SECTIONS_H

#include "format/plan.h"
#include "stream.h"

/* The file, all frames and hashes right. The plan is used up. is_changed: some sections or fields of the header are
 * changed. Free with free(). */
uint8_t *test_content_sections(struct test_stream *stream, spmm_plan_t *plan, int is_changed, size_t *size);

#endif
