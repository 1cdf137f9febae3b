/* SPDX-License-Identifier: Apache-2.0 */
/* See zip_writer.h, and PKWARE's APPNOTE 6.3. The sizes follow the data (bit 3 of the flags) and have 8
 * bytes. In the directory they have 4 bytes if that is enough, because minizip 1.1 does not find them
 * otherwise. */
#include "zip_writer.h"

#include <string.h>

#define HEAD_BYTES 256
#define NEEDS_ZIP64 45
#define MADE_BY (3u << 8 | NEEDS_ZIP64) /* Unix: the attributes are a file mode */
#define SIZES_BEHIND 8u
#define DEFLATED 8u
#define FIRST_DAY 0x21u /* first date that zip can store: 1 January 1980 */
#define IN_ZIP64 UINT32_MAX
#define MODE (UINT32_C(0100644) << 16)

struct record {
    unsigned char bytes[HEAD_BYTES];
    size_t size;
};

static void put(struct record *r, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        r->bytes[r->size++] = (unsigned char)(number >> (8 * i));
}

static void put_name(struct record *r, const char *name)
{
    memcpy(r->bytes + r->size, name, strlen(name));
    r->size += strlen(name);
}

static spmm_status_t write_record(struct zip_writer *zip, const struct record *r)
{
    return packed_stream_plain(zip->stream, r->bytes, r->size);
}

struct zip_writer zip_start(struct packed_stream *stream)
{
    return (struct zip_writer){.stream = stream, .start = stream->written};
}

static int is_large(uint64_t number)
{
    return number >= IN_ZIP64;
}

/* Writes a number in four bytes, or the mark that it is in the zip64 field. */
static void put_small(struct record *r, uint64_t number)
{
    put(r, is_large(number) ? IN_ZIP64 : number, 4);
}

/* Writes the zip64 field: the numbers that are large, in this order. */
static void put_zip64(struct record *r, const uint64_t *numbers, int count, int large)
{
    if (large > 0)
        put(r, 1 | (uint64_t)large * 8 << 16, 4);
    for (int i = 0; i < count; i++)
        if (is_large(numbers[i]))
            put(r, numbers[i], 8);
}

/* Writes the fields that the local head and the directory entry share: from the version needed to the
 * lengths. */
static void put_common(struct record *r, const struct zip_member *m, int large)
{
    put(r, NEEDS_ZIP64, 2);
    put(r, SIZES_BEHIND, 2);
    put(r, DEFLATED, 2);
    put(r, FIRST_DAY << 16, 4);
    put(r, m->crc, 4);
    put_small(r, m->packed);
    put_small(r, m->raw);
    put(r, strlen(m->name), 2);
    put(r, large > 0 ? 4 + 8 * (uint64_t)large : 0, 2);
}

/* Writes the head of a member whose sizes are not known yet. The zip64 field announces sizes of 8 bytes. It
 * has zeros, because libarchive refuses sizes above INT64_MAX. */
static spmm_status_t write_head(struct zip_writer *zip, const char *name)
{
    const struct zip_member m = {.name = name, .raw = UINT64_MAX, .packed = UINT64_MAX};
    struct record r = {.size = 0};
    put(&r, 0x04034b50, 4);
    put_common(&r, &m, 2);
    put_name(&r, name);
    put(&r, 1 | 16 << 16, 4);
    put(&r, 0, 8);
    put(&r, 0, 8);
    return write_record(zip, &r);
}

static spmm_status_t write_sizes(struct zip_writer *zip, const struct zip_member *m)
{
    struct record r = {.size = 0};
    put(&r, 0x08074b50, 4);
    put(&r, m->crc, 4);
    put(&r, m->packed, 8);
    put(&r, m->raw, 8);
    return write_record(zip, &r);
}

spmm_status_t zip_add(struct zip_writer *zip, const char *name, const struct chunks *chunks)
{
    struct packed_stream *s = zip->stream;
    struct zip_member *m = &zip->members[zip->count++];
    *m = (struct zip_member){.name = name, .offset = s->written - zip->start};
    spmm_status_t status = write_head(zip, name);
    packed_stream_begin(s);
    if (status == SPMM_OK)
        status = packed_stream_add(s, chunks);
    if (status == SPMM_OK)
        status = packed_stream_finish(s);
    m->raw = s->raw;
    m->packed = s->packed;
    m->crc = s->crc;
    return status == SPMM_OK ? write_sizes(zip, m) : status;
}

static spmm_status_t write_entry(struct zip_writer *zip, const struct zip_member *m)
{
    const uint64_t numbers[] = {m->raw, m->packed, m->offset};
    const int large = is_large(m->raw) + is_large(m->packed) + is_large(m->offset);
    struct record r = {.size = 0};
    put(&r, 0x02014b50, 4);
    put(&r, MADE_BY, 2);
    put_common(&r, m, large);
    put(&r, 0, 2 + 2 + 2); /* no comment, disk 0, not marked as text */
    put(&r, MODE, 4);
    put_small(&r, m->offset);
    put_name(&r, m->name);
    put_zip64(&r, numbers, 3, large);
    return write_record(zip, &r);
}

static spmm_status_t write_end(struct zip_writer *zip, uint64_t directory, uint64_t end)
{
    struct record r = {.size = 0};
    put(&r, 0x06064b50, 4); /* the zip64 end of the directory */
    put(&r, 44, 8);
    put(&r, MADE_BY, 2);
    put(&r, NEEDS_ZIP64, 2);
    put(&r, 0, 8);
    put(&r, (uint64_t)zip->count, 8);
    put(&r, (uint64_t)zip->count, 8);
    put(&r, end - directory, 8);
    put(&r, directory, 8);
    put(&r, 0x07064b50, 4); /* the locator of that record */
    put(&r, 0, 4);
    put(&r, end, 8);
    put(&r, 1, 4);
    put(&r, 0x06054b50, 4); /* the end of the directory */
    put(&r, 0, 4);
    put(&r, (uint64_t)zip->count, 2);
    put(&r, (uint64_t)zip->count, 2);
    put_small(&r, end - directory);
    put_small(&r, directory);
    put(&r, 0, 2);
    return write_record(zip, &r);
}

spmm_status_t zip_finish(struct zip_writer *zip)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t directory = zip->stream->written - zip->start;
    for (int i = 0; i < zip->count && status == SPMM_OK; i++)
        status = write_entry(zip, &zip->members[i]);
    return status == SPMM_OK ? write_end(zip, directory, zip->stream->written - zip->start) : status;
}
