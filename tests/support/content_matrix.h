/* SPDX-License-Identifier: Apache-2.0 */
/* Small random matrices: of every generator, and of shapes that products go wrong on; some with extreme extents. */
#ifndef TEST_CONTENT_MATRIX_H
#define TEST_CONTENT_MATRIX_H

#include "matrices.h"
#include "stream.h"

#define TEST_CONTENT_WIDE 100000 /* columns beyond which nothing can be made for op T */

/* At most some thousand nonzeros, and now and then up to 2^31 - 2 columns; values mostly whole numbers in -4 .. 4. Free
 * with test_matrix_free. */
struct test_matrix *test_content_matrix(struct test_stream *stream);

/* Nonzeros of the largest matrix that a generator makes here before it is looked at: what a drawn matrix may cost. */
int64_t test_content_generated_max(void);

#endif
