/* SPDX-License-Identifier: Apache-2.0 */
/* Little-endian numbers in byte buffers, and records whose layout is a table of fields.
 *
 * Arrays are hashed and copied in host byte order, so a big-endian host is refused at compile time. */
#ifndef SPMMI_BYTES_H
#define SPMMI_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "spmm needs a little-endian host"
#endif

static inline uint32_t spmmi_get_u32(const uint8_t *bytes)
{
    uint32_t value = 0;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t spmmi_get_u64(const uint8_t *bytes)
{
    uint64_t value = 0;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline void spmmi_put_u32(uint8_t *bytes, uint32_t value)
{
    memcpy(bytes, &value, sizeof value);
}

static inline void spmmi_put_u64(uint8_t *bytes, uint64_t value)
{
    memcpy(bytes, &value, sizeof value);
}

/* One field:
 * its offset in the record of the file, its size, and its offset in the struct (member), all in bytes. */
struct spmmi_field {
    uint16_t offset, bytes, member;
};

struct spmmi_record_type {
    const struct spmmi_field *fields;
    uint32_t field_count;
    uint32_t bytes; /* size of the record in the file; bytes that no field covers are reserved */
};

/* Copies the fields of a file's record (bytes) to a struct (record). */
static inline void spmmi_record_load(const struct spmmi_record_type *type, const uint8_t *bytes, void *record)
{
    for (uint32_t i = 0; i < type->field_count; i++)
        memcpy((char *)record + type->fields[i].member, bytes + type->fields[i].offset,
               type->fields[i].bytes);
}

/* Copies the members of a struct (record) to a file's record (bytes). Sets reserved bytes to zero. */
static inline void spmmi_record_store(const struct spmmi_record_type *type, const void *record,
                                      uint8_t *bytes)
{
    memset(bytes, 0, type->bytes);
    for (uint32_t i = 0; i < type->field_count; i++)
        memcpy(bytes + type->fields[i].offset, (const char *)record + type->fields[i].member,
               type->fields[i].bytes);
}

/* Returns the offset of the first reserved byte that is not zero, or type->bytes if there is none. The fields
 * of the type must be sorted by offset. */
static inline uint32_t spmmi_record_reserved(const struct spmmi_record_type *type, const uint8_t *bytes)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i <= type->field_count; i++) {
        const uint32_t end = i < type->field_count ? type->fields[i].offset : type->bytes;
        for (; at < end; at++) {
            if (bytes[at] != 0)
                return at;
        }
        if (i < type->field_count)
            at = (uint32_t)type->fields[i].offset + type->fields[i].bytes;
    }
    return type->bytes;
}

#endif
