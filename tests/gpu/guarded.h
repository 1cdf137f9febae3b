/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the GPU that ends where nothing is mapped, so that an access behind it fails, and begins behind bytes of
 * which a change is seen. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct test_guarded {
    char *
        data; /* bytes of it, at a multiple of 256; they end at the unmapped address or up to 255 bytes before */
    size_t bytes;
    uint64_t base, handle;
    size_t mapped; /* bytes behind base; 0: an ordinary allocation, which memcheck knows the end of */
};

/* is_plain: for compute-sanitizer, which watches allocations. Fails the test where the GPU has no room. */
struct test_guarded test_guarded_make(size_t bytes, int is_plain);
/* Bytes before the data, and behind it up to the unmapped address, that were changed. */
size_t test_guarded_changed(const struct test_guarded *memory);
void test_guarded_free(struct test_guarded *memory);

#endif
