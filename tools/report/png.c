/* SPDX-License-Identifier: Apache-2.0 */
/* See png.h. A byte holds two pixels. As in the PNG specification, the file is a signature followed by chunks
 * (length, name, bytes, CRC). zlib compresses the pixels and computes the CRCs. */
#include "png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/cli/fail.h"

#define LEVEL 9

/* Encodes bytes as base64 and writes them to a stream. */
struct base64 {
    FILE *out;
    uint32_t bits;
    int count; /* number of bytes in bits */
};

static void put_group(struct base64 *to)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t group = to->bits << (8 * (3 - to->count));
    for (int i = 0; i < 4; i++)
        fputc(i <= to->count ? digits[group >> (18 - 6 * i) & 63u] : '=', to->out);
    to->bits = 0;
    to->count = 0;
}

static void put_bytes(struct base64 *to, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        to->bits = to->bits << 8 | from[i];
        if (++to->count == 3)
            put_group(to);
    }
}

static void set_be32(uint8_t bytes[4], uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void put_chunk(struct base64 *to, const char name[4], const uint8_t *bytes, size_t size)
{
    uint8_t number[4];
    set_be32(number, (uint32_t)size);
    put_bytes(to, number, sizeof number);
    put_bytes(to, name, 4);
    put_bytes(to, bytes, size);
    const uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)name, 4);
    set_be32(number, (uint32_t)(size > 0 ? crc32(sum, bytes, (uInt)size) : sum));
    put_bytes(to, number, sizeof number);
}

/* Packs two pixels per byte. Each line begins with the number of its filter: 0, which means none. */
static void pack_pixels(const struct png_picture *picture, uint8_t *lines, size_t line_bytes)
{
    memset(lines, 0, line_bytes * picture->height);
    for (uint32_t y = 0; y < picture->height; y++)
        for (uint32_t x = 0; x < picture->width; x++)
            lines[y * line_bytes + 1 + x / 2] |=
                (uint8_t)(picture->pixels[(size_t)y * picture->width + x] << (x % 2 == 0 ? 4 : 0));
}

static void put_file(FILE *out, const struct png_picture *picture, const uint8_t *packed, size_t size)
{
    static const uint8_t signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    struct base64 to = {.out = out};
    uint8_t header[13] = {[8] = 4, [9] = 3}; /* 4 bits per pixel, each an index into the palette */
    set_be32(header, picture->width);
    set_be32(header + 4, picture->height);
    fputs("data:image/png;base64,", out);
    put_bytes(&to, signature, sizeof signature);
    put_chunk(&to, "IHDR", header, sizeof header);
    put_chunk(&to, "PLTE", picture->palette[0], sizeof picture->palette);
    put_chunk(&to, "IDAT", packed, size);
    put_chunk(&to, "IEND", NULL, 0);
    if (to.count > 0)
        put_group(&to);
}

spmm_status_t png_print_address(FILE *out, const struct png_picture *picture, spmm_diag_t *diag)
{
    const size_t line_bytes = 1 + (picture->width + 1) / 2, size = line_bytes * picture->height;
    uLongf packed_size = compressBound((uLong)size);
    uint8_t *lines = malloc(size), *packed = malloc(packed_size);
    spmm_status_t status = SPMM_OK;
    if (lines == NULL || packed == NULL)
        status = fail_memory(diag, size + packed_size, "a picture");
    if (status == SPMM_OK) {
        pack_pixels(picture, lines, line_bytes);
        if (compress2(packed, &packed_size, lines, (uLong)size, LEVEL) == Z_OK)
            put_file(out, picture, packed, packed_size);
        else
            status = fail_memory(diag, packed_size, "a picture");
    }
    free(packed);
    free(lines);
    return status;
}
