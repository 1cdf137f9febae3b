/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_make.h. */
#include "hdf5_make.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT (512 + 64) /* place of the address of the root in the superblock */

static void put(struct hdf5 *f, uint64_t value, unsigned bytes)
{
    assert_true(f->size + bytes <= HDF5_BYTES);
    for (unsigned i = 0; i < bytes; i++)
        f->bytes[f->size++] = (unsigned char)(value >> 8 * i);
}

static void put_text(struct hdf5 *f, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(f, (unsigned char)text[i], 1);
}

static void put_double(struct hdf5 *f, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put(f, bits, 8);
}

static void put_field(struct hdf5 *f, const char *field, size_t length)
{
    static const char letters[] = "bhwq";
    const char *letter = strchr(letters, field[0]);
    if (letter != NULL)
        put(f, strtoull(field + 1, NULL, 0), 1U << (letter - letters));
    else if (field[0] == 'd')
        put_double(f, strtod(field + 1, NULL));
    else if (field[0] == '@')
        put(f, f->at, 8);
    else if (field[0] == 'z')
        for (uint64_t n = strtoull(field + 1, NULL, 0); n > 0; n--)
            put(f, 0, 1);
    else
        put_text(f, field + 1, length - 1);
    if (field[0] == 's')
        put(f, 0, 1);
}

/* Appends the fields up to the next | or the end, and returns a pointer to it. */
static const char *put_fields(struct hdf5 *f, const char *fields)
{
    while (*fields != '\0' && *fields != '|') {
        const size_t length = strcspn(fields, " |");
        if (length > 0)
            put_field(f, fields, length);
        fields += length + (fields[length] == ' ');
    }
    return fields;
}

void hdf5_start(struct hdf5 *f)
{
    *f = (struct hdf5){.bytes = malloc(HDF5_BYTES)};
    assert_non_null(f->bytes);
    put_text(f, "MATLAB 7.3 MAT-file", 19);
    (void)hdf5_add(f, "z493 b0x89 tHDF b13 b10 b26 b10 z5 b8 b8 b0 h4 h16 w0 q0 q-1 q-1 q-1 q0 q0 z24");
}

void hdf5_free(struct hdf5 *f)
{
    free(f->bytes);
}

uint64_t hdf5_add(struct hdf5 *f, const char *fields)
{
    const uint64_t address = f->size;
    (void)put_fields(f, fields);
    return address;
}

uint64_t hdf5_add_messages(struct hdf5 *f, const char *messages)
{
    const uint64_t address = f->size;
    while (*messages != '\0') {
        char *fields = NULL;
        put(f, strtoull(messages, &fields, 0), 2);
        const size_t place = f->size;
        put(f, 0, 6);
        messages = put_fields(f, fields);
        const size_t length = f->size - place - 6;
        f->bytes[place] = (unsigned char)length;
        f->bytes[place + 1] = (unsigned char)(length >> 8);
        messages += *messages == '|';
    }
    return address;
}

void hdf5_add_header(struct hdf5 *f, uint64_t bytes)
{
    (void)hdf5_add(f, "b1 b0 h0xffff w1");
    put(f, bytes, 4);
    put(f, 0, 4);
}

uint64_t hdf5_add_object(struct hdf5 *f, const char *messages)
{
    const uint64_t address = f->size;
    hdf5_add_header(f, 0);
    const uint64_t first = hdf5_add_messages(f, messages);
    const uint64_t bytes = f->size - first;
    f->bytes[address + 8] = (unsigned char)bytes;
    f->bytes[address + 9] = (unsigned char)(bytes >> 8);
    return address;
}

uint64_t hdf5_add_names(struct hdf5 *f, const struct hdf5_member *members, int count)
{
    uint64_t length = 0;
    for (int i = 0; i < count; i++)
        length += strlen(members[i].name) + 1;
    const uint64_t address = hdf5_add(f, "tHEAP w0");
    put(f, length, 8);
    put(f, UINT64_MAX, 8);
    put(f, f->size + 8, 8);
    for (int i = 0; i < count; i++)
        put_text(f, members[i].name, strlen(members[i].name) + 1);
    return address;
}

uint64_t hdf5_add_symbols(struct hdf5 *f, const struct hdf5_member *members, int count)
{
    uint64_t name = 0;
    const uint64_t address = hdf5_add(f, "tSNOD b1 b0");
    put(f, (uint64_t)count, 2);
    for (int i = 0; i < count; i++) {
        put(f, name, 8);
        put(f, members[i].address, 8);
        put(f, members[i].kind, 4);
        (void)hdf5_add(f, "z20");
        name += strlen(members[i].name) + 1;
    }
    return address;
}

uint64_t hdf5_add_node(struct hdf5 *f, int kind, int level, int count, uint64_t child)
{
    const unsigned key = kind == 0 ? 8 : 24; /* for data of one dimension */
    const uint64_t address = hdf5_add(f, "tTREE");
    put(f, (uint64_t)kind, 1);
    put(f, (uint64_t)level, 1);
    put(f, (uint64_t)count, 2);
    put(f, UINT64_MAX, 8);
    put(f, UINT64_MAX, 8);
    for (int i = 0; i < count; i++) {
        for (unsigned k = 0; k < key; k++)
            put(f, 0, 1);
        put(f, child, 8);
    }
    for (unsigned k = 0; k < key; k++)
        put(f, 0, 1);
    return address;
}

uint64_t hdf5_add_group(struct hdf5 *f, uint64_t tree, uint64_t names, const char *messages)
{
    char all[1024];
    (void)snprintf(all, sizeof all, "0x11 q%llu q%llu%s%s", (unsigned long long)tree,
                   (unsigned long long)names, messages[0] != '\0' ? "|" : "", messages);
    return hdf5_add_object(f, all);
}

uint64_t hdf5_add_members(struct hdf5 *f, const struct hdf5_member *members, int count, const char *messages)
{
    const uint64_t tree = hdf5_add_node(f, 0, 0, 1, hdf5_add_symbols(f, members, count));
    return hdf5_add_group(f, tree, hdf5_add_names(f, members, count), messages);
}

void hdf5_end(struct hdf5 *f, uint64_t root)
{
    for (int i = 0; i < 8; i++)
        f->bytes[ROOT + i] = (unsigned char)(root >> 8 * i);
}
