/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: the input chooses CSR arrays, new values and descriptions of products, and the errors in them
 * (tests/support/content_values.h). */
#include "tests/support/content_values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct test_stream stream = test_stream_of_bytes(data, size);
    struct test_content_tally tally = {.files = 0};
    (void)test_content_values(&stream, &tally);
    return 0;
}
