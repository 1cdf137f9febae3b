/* SPDX-License-Identifier: Apache-2.0 */
/* Small changes of numbers, records and lists: to limits, to neighbours, to other elements. */
#ifndef TEST_CONTENT_WORDS_H
#define TEST_CONTENT_WORDS_H

#include "format/file/plan_records.h"
#include "stream.h"

/* Another value of a number of 2, 4 or 8 bytes: a limit, one beside it, a size of the plan, any bits. Numbers of 8
 * bytes may be integers or doubles. */
void test_word_change(struct test_stream *stream, const spmm_plan_t *plan, void *word, size_t bytes);

/* One number of a record in memory. */
void test_record_change(struct test_stream *stream, const spmm_plan_t *plan,
                        const struct spmmi_record_type *type, void *record);

/* Some entries of a list: changed, exchanged, repeated, reversed, or one moved from an element to its neighbour. */
void test_list_change(struct test_stream *stream, const spmm_plan_t *plan, uint32_t *list, uint64_t count);

#endif
