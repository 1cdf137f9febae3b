/* SPDX-License-Identifier: Apache-2.0 */
/* Small random matrices: from every generator, and with shapes that are difficult for products. Some have
 * extreme extents. */
#ifndef TEST_CONTENT_MATRIX_H
#define TEST_CONTENT_MATRIX_H

#include "matrices.h"
#include "stream.h"

#define TEST_CONTENT_WIDE 100000 /* with more columns, nothing is made for op T */

/* Makes a matrix with at most a few thousand nonzeros; a few matrices have up to 2^31 - 2 columns. Most
 * values are whole numbers in -4 .. 4. Free it with test_matrix_free. */
struct test_matrix *test_content_matrix(struct test_stream *stream);

/* Returns the number of nonzeros of the largest matrix that a generator may make here, before its size is
 * checked. This bounds the cost of drawing a matrix. */
int64_t test_content_generated_max(void);

#endif
