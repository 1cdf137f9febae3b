/* SPDX-License-Identifier: Apache-2.0 */
/* See stream.h. */
#include "stream.h"

#include <string.h>

#include "matrices.h"

struct test_stream test_stream_of_seed(uint64_t seed)
{
    return (struct test_stream){.seed = seed};
}

struct test_stream test_stream_of_bytes(const uint8_t *bytes, size_t size)
{
    struct test_stream stream = {bytes, size, 0, 0};
    const size_t head = size < sizeof stream.seed ? size : sizeof stream.seed;
    if (head > 0)
        memcpy(&stream.seed, bytes, head);
    stream.bytes += head;
    stream.left -= head;
    return stream;
}

/* Draws a number. Up to 256 alternatives need only one byte, so a fuzzer that changes one byte changes one
 * decision. */
static uint64_t draw(struct test_stream *stream, size_t bytes)
{
    uint64_t number = 0;
    if (stream->left < bytes)
        return test_hash(stream->seed, stream->drawn++);
    memcpy(&number, stream->bytes, bytes);
    stream->bytes += bytes;
    stream->left -= bytes;
    return number;
}

uint64_t test_stream_below(struct test_stream *stream, uint64_t limit)
{
    if (limit <= 1)
        return 0;
    return draw(stream, limit <= UINT64_C(1) << 8 ? 1 : limit <= UINT64_C(1) << 16 ? 2 : 8) % limit;
}

uint64_t test_stream_bits(struct test_stream *stream)
{
    return draw(stream, sizeof(uint64_t));
}

int test_stream_chance(struct test_stream *stream, unsigned percent)
{
    return test_stream_below(stream, 100) < percent;
}
