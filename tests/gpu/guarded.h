/* SPDX-License-Identifier: Apache-2.0 */
/* GPU memory that ends at an unmapped address, so that an access past its end faults. The bytes in front
 * of it are checked for changes. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include <stddef.h>
#include <stdint.h>

struct test_guarded {
    char *
        data; /* 256-byte aligned; the data end at the unmapped address or less than 256 bytes in front of it */
    size_t bytes;
    uint64_t base, handle;
    /* Bytes mapped after the first page; 0: an ordinary allocation, whose end memcheck knows. */
    size_t mapped;
};

/* Allocates guarded memory. is_plain: an ordinary allocation instead, for compute-sanitizer. Fails the
 * test if the GPU has not enough memory. */
struct test_guarded test_guarded_make(size_t bytes, int is_plain);
/* Returns the number of changed bytes in front of the data and between the data and the unmapped address. */
size_t test_guarded_changed(const struct test_guarded *memory);
void test_guarded_free(struct test_guarded *memory);

#endif
