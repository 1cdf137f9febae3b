/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices at the edges of warps, blocks, tiles and steps: quick enough for a sanitizer that slows every access
 * down. */
#ifndef TEST_EDGES_H
#define TEST_EDGES_H

#include "matrices.h"

#define TEST_EDGES 42
/* Free with test_matrix_free. */
struct test_matrix *test_edge_make(int index, enum test_values values);

#endif
