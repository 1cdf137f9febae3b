/* SPDX-License-Identifier: Apache-2.0 */
/* The decisions of a random test, taken from bytes that a fuzzer chose, and where these end from a seed. */
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
/* The first eight bytes are the seed of what follows the last one. */
struct test_stream test_stream_of_bytes(const uint8_t *bytes, size_t size);

/* A number below limit; 0 where limit is 0. */
uint64_t test_stream_below(struct test_stream *stream, uint64_t limit);
uint64_t test_stream_bits(struct test_stream *stream);
/* 1 in so many of a hundred. */
int test_stream_chance(struct test_stream *stream, unsigned percent);

#endif
