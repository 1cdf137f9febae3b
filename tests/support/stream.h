/* SPDX-License-Identifier: Apache-2.0 */
/* The random decisions of a test. They come from bytes that a fuzzer chose and, after the last byte, from a
 * seed. */
#ifndef TEST_STREAM_H
#define TEST_STREAM_H

#include <stddef.h>
#include <stdint.h>

struct test_stream {
    const uint8_t *bytes;
    size_t left;
    uint64_t seed, drawn;
};

struct test_stream test_stream_of_seed(uint64_t seed);
/* Makes a stream whose first eight bytes are the seed for decisions after the last byte. */
struct test_stream test_stream_of_bytes(const uint8_t *bytes, size_t size);

/* Returns a number below limit, or 0 if limit is 0. */
uint64_t test_stream_below(struct test_stream *stream, uint64_t limit);
uint64_t test_stream_bits(struct test_stream *stream);
/* Returns 1 with a probability of this many percent. */
int test_stream_chance(struct test_stream *stream, unsigned percent);

#endif
