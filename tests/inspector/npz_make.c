/* SPDX-License-Identifier: Apache-2.0 */
/* See npz_make.h. */
#include "npz_make.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <libdeflate.h>

#define ARRAY_MAX (1 << 18)

/* Appends the count low bytes of a number, lowest byte first. */
static void put(unsigned char *to, size_t *size, uint64_t number, int count)
{
    for (int i = 0; i < count; i++)
        to[(*size)++] = (unsigned char)(number >> 8 * i);
}

static void put_bytes(unsigned char *to, size_t *size, const void *bytes, size_t count)
{
    if (count > 0)
        memcpy(to + *size, bytes, count);
    *size += count;
}

void npz_start(struct npz *npz)
{
    memset(npz, 0, sizeof *npz);
}

/* Appends the fields that the local header and the directory share: from the version to the length of the
 * extra field. */
static void put_common(unsigned char *to, size_t *size, const uint32_t common[5], const char *name)
{
    put(to, size, 20, 2);
    put(to, size, 0, 2);
    put(to, size, common[0], 2);
    put(to, size, common[1], 4); /* time and date */
    put(to, size, common[2], 4);
    put(to, size, common[3], 4);
    put(to, size, common[4], 4);
    put(to, size, strlen(name), 2);
    put(to, size, 0, 2);
}

static size_t deflate_bytes(const void *bytes, size_t size, unsigned char *to, size_t room)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    const size_t packed = libdeflate_deflate_compress(compressor, bytes, size, to, room);
    libdeflate_free_compressor(compressor);
    assert(packed > 0);
    return packed;
}

void npz_add(struct npz *npz, const char *name, const void *bytes, size_t size)
{
    unsigned char room[ARRAY_MAX * 2];
    const size_t packed = npz->deflated ? deflate_bytes(bytes, size, room, sizeof room) : size;
    const uint32_t common[5] = {npz->deflated ? 8 : 0, 0x00210000, libdeflate_crc32(0, bytes, size),
                                (uint32_t)packed, (uint32_t)size};
    const size_t offset = npz->size;
    assert(npz->members < NPZ_MEMBERS && npz->size + packed + 512 < NPZ_BYTES);
    put(npz->bytes, &npz->size, 0x04034b50, 4);
    put_common(npz->bytes, &npz->size, common, name);
    put_bytes(npz->bytes, &npz->size, name, strlen(name));
    put_bytes(npz->bytes, &npz->size, npz->deflated ? room : bytes, packed);
    put(npz->directory, &npz->directory_size, 0x02014b50, 4);
    put(npz->directory, &npz->directory_size, 20, 2);
    put_common(npz->directory, &npz->directory_size, common, name);
    put(npz->directory, &npz->directory_size, 0, 4); /* comment, disk */
    put(npz->directory, &npz->directory_size, 0, 6); /* attributes */
    put(npz->directory, &npz->directory_size, offset, 4);
    put_bytes(npz->directory, &npz->directory_size, name, strlen(name));
    npz->members++;
}

void npz_add_array(struct npz *npz, const char *name, const char *dictionary, const void *data, size_t size)
{
    unsigned char array[ARRAY_MAX];
    size_t used = 0;
    assert(strlen(dictionary) + size + 16 < sizeof array);
    put_bytes(array, &used, "\x93NUMPY\1\0", 8);
    put(array, &used, strlen(dictionary) + 1, 2);
    put_bytes(array, &used, dictionary, strlen(dictionary));
    put_bytes(array, &used, "\n", 1);
    put_bytes(array, &used, data, size);
    npz_add(npz, name, array, used);
}

void npz_end(struct npz *npz)
{
    const size_t offset = npz->size;
    put_bytes(npz->bytes, &npz->size, npz->directory, npz->directory_size);
    put(npz->bytes, &npz->size, 0x06054b50, 4);
    put(npz->bytes, &npz->size, 0, 4);
    put(npz->bytes, &npz->size, (uint64_t)npz->members, 2);
    put(npz->bytes, &npz->size, (uint64_t)npz->members, 2);
    put(npz->bytes, &npz->size, npz->directory_size, 4);
    put(npz->bytes, &npz->size, offset, 4);
    put(npz->bytes, &npz->size, 0, 2);
}
