/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPMM_TESTS_SCALE_H
#define SPMM_TESTS_SCALE_H

#include <stddef.h>
#include <stdlib.h>

/* Returns the number of repeats of a test: count, multiplied by SPMM_TEST_SCALE, at least 1. A release run sets
 * 10; builds that repeat tests of others set less than 1. */
static inline size_t scaled(size_t count)
{
    const char *text = getenv("SPMM_TEST_SCALE");
    const double scale = text != NULL ? strtod(text, NULL) : 1, wanted = (double)count * scale;
    return scale > 0 && scale < 1e6 ? (wanted > 1 || count == 0 ? (size_t)wanted : 1) : count;
}

#endif
