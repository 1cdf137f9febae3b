/* SPDX-License-Identifier: Apache-2.0 */
/* See export_text.h. */
#include "export_text.h"

#include <string.h>

size_t export_count(uint64_t number, char *text)
{
    char digits[24];
    size_t count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    memcpy(text, digits + sizeof digits - count, count);
    return count;
}

struct chunks export_chunks(uint64_t count, size_t item_bytes, size_t head_bytes,
                            size_t (*make)(const void *context, uint64_t chunk, char *bytes),
                            const void *context)
{
    const uint64_t whole = count / EXPORT_ITEMS_A_CHUNK + (count % EXPORT_ITEMS_A_CHUNK != 0);
    const uint64_t items = count < EXPORT_ITEMS_A_CHUNK ? count : EXPORT_ITEMS_A_CHUNK;
    return (struct chunks){.count = whole > 0 ? whole : 1,
                           .bytes_max = (size_t)items * item_bytes + head_bytes,
                           .make = make,
                           .context = context};
}

/* Writes the tail of RFC 1952: CRC and size modulo 2^32, little-endian. */
static spmm_status_t write_gzip_tail(struct packed_stream *s)
{
    unsigned char tail[8];
    for (int i = 0; i < 4; i++) {
        tail[i] = (unsigned char)(s->crc >> (8 * i));
        tail[4 + i] = (unsigned char)(s->raw >> (8 * i));
    }
    return packed_stream_plain(s, tail, sizeof tail);
}

spmm_status_t export_text(struct packed_stream *s, const struct chunks *chunks)
{
    static const unsigned char gzip_head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}; /* no name, no time */
    const int is_gzip = s->packing == PACKING_DEFLATE;
    spmm_status_t status = is_gzip ? packed_stream_plain(s, gzip_head, sizeof gzip_head) : SPMM_OK;
    packed_stream_begin(s);
    if (status == SPMM_OK)
        status = packed_stream_add(s, chunks);
    if (status == SPMM_OK)
        status = packed_stream_finish(s);
    if (status == SPMM_OK && is_gzip)
        status = write_gzip_tail(s);
    return status;
}
