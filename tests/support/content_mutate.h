/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile plan files: the content of a valid plan is changed one to four times, then mostly made consistent again
 * (items, statistics, digests), so that each check of the loader is the first to see something wrong; and written with
 * frames, checksums and hashes that are right. */
#ifndef TEST_CONTENT_MUTATE_H
#define TEST_CONTENT_MUTATE_H

#include "format/plan.h"
#include "stream.h"

/* The file of a plan as test_content_plan makes it, which is used up. *is_valid: nothing was changed. Free with
 * free(). */
uint8_t *test_content_file(struct test_stream *stream, spmm_plan_t *plan, size_t *size, int *is_valid);

#endif
