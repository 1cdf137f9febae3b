/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile plan files. The content of a valid plan is changed one to four times and then usually made
 * consistent again (items, statistics, digests), so that each check of the loader can be the first to fail.
 * The file has correct frames, checksums and hashes. */
#ifndef TEST_CONTENT_MUTATE_H
#define TEST_CONTENT_MUTATE_H

#include "format/plan.h"
#include "stream.h"

/* Makes the file of a plan from test_content_plan, which it destroys. *is_valid becomes 1 if nothing was
 * changed. The caller frees the result with free(). */
uint8_t *test_content_file(struct test_stream *stream, spmm_plan_t *plan, size_t *size, int *is_valid);

#endif
