/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile arguments besides plans: CSR arrays, values with random bits, wrong descriptions of B and C. */
#ifndef TEST_CONTENT_VALUES_H
#define TEST_CONTENT_VALUES_H

#include "content_check.h"

/* Draws CSR arrays of any index and value types and changes some of them. Checks that they are refused with a
 * sentence, or that the matrix and plan made of them have the same entries. Sets values with random bits in
 * an executor of the plan and checks its products. Products with a wrong description must be refused and must
 * not change C. Before that, uses the arrays as factors of a sparse product without a plan (content_once.h).
 * Aborts if a check fails. Returns 1 if the arrays were accepted. */
int test_content_values(struct test_stream *stream, struct test_content_tally *tally);

#endif
