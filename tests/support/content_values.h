/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile arguments beside plans: CSR arrays, values of any bits, descriptions of B and C that do not fit. */
#ifndef TEST_CONTENT_VALUES_H
#define TEST_CONTENT_VALUES_H

#include "content_check.h"

/* CSR arrays of any index and value types, some changed, become a matrix and a plan that hold just what they said, or
 * are refused with a sentence. An executor of that plan takes new values of any bits, and its products are those of the
 * new values; products that are described wrongly are refused and leave C as it was. Aborts where that does not hold.
 * Before that they are factors of a sparse product without a plan (content_once.h).
 * Returns whether the arrays were taken. */
int test_content_values(struct test_stream *stream, struct test_content_tally *tally);

#endif
