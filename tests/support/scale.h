/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPMM_TESTS_SCALE_H
#define SPMM_TESTS_SCALE_H

#include <stddef.h>
#include <stdlib.h>

/* Returns the number of repeats of a test: count, multiplied by SPMM_TEST_SCALE, which a release run sets. */
static inline size_t scaled(size_t count)
{
    const char *text = getenv("SPMM_TEST_SCALE");
    unsigned long scale = text ? strtoul(text, NULL, 10) : 1;
    return count * (scale ? (size_t)scale : 1);
}

#endif
