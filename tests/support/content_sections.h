/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a plan as a file whose sections may have contents that no plan in memory can have: wrong lengths,
 * sizes, reserved bytes, order. */
#ifndef TEST_CONTENT_SECTIONS_H
#define TEST_CONTENT_SECTIONS_H

#include "format/plan.h"
#include "stream.h"

/* Makes the file, with correct frames and hashes, and destroys the plan. is_changed: a section or fields of
 * the header are changed. The caller frees the result with free(). */
uint8_t *test_content_sections(struct test_stream *stream, spmm_plan_t *plan, int is_changed, size_t *size);

#endif
