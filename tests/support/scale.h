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

/* Returns the distance between the cases of an exhaustive loop that are tested: 1, or more if SPMM_TEST_SCALE is
 * below 1. It is odd, so that a loop over bits tests all bits of a byte. */
static inline size_t scaled_step(void)
{
    const size_t tested = scaled(1000);
    return tested < 1000 ? 1000 / tested | 1 : 1;
}

#endif
