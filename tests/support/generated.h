/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of the generators, and zeroed arrays, for tests of the inspector. A failure ends the test. */
#ifndef TEST_GENERATED_H
#define TEST_GENERATED_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/inspector.h>

spmm_matrix_t *test_generated(const char *spec);

/* Allocates zeroed memory. count may be 0. Free it with free. */
void *test_zeroed(int64_t count, size_t size);

#endif
