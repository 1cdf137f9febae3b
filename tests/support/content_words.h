/* SPDX-License-Identifier: Apache-2.0 */
/* Random changes of numbers, records and lists: to limits, to neighbouring values, to other elements. */
#ifndef TEST_CONTENT_WORDS_H
#define TEST_CONTENT_WORDS_H

#include "format/file/plan_records.h"
#include "stream.h"

/* Changes a number of 2, 4 or 8 bytes: to a limit, a value next to it, a size of the plan, or random bits.
 * Numbers of 8 bytes may be integers or doubles. */
void test_word_change(struct test_stream *stream, const spmm_plan_t *plan, void *word, size_t bytes);

/* Changes one number of a record in memory. */
void test_record_change(struct test_stream *stream, const spmm_plan_t *plan,
                        const struct spmmi_record_type *type, void *record);

/* Changes a list: some entries are changed, exchanged, repeated or reversed, or one is moved to its
 * neighbour. */
void test_list_change(struct test_stream *stream, const spmm_plan_t *plan, uint32_t *list, uint64_t count);

#endif
