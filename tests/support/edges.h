/* SPDX-License-Identifier: Apache-2.0 */
/* Small matrices at the limits of warps, blocks, tiles and steps. They are quick enough for a sanitizer that
 * slows down every access. */
#ifndef TEST_EDGES_H
#define TEST_EDGES_H

#include "matrices.h"

#define TEST_EDGES 42
/* Makes the matrix of an index below TEST_EDGES. Free it with test_matrix_free. */
struct test_matrix *test_edge_make(int index, enum test_values values);

#endif
