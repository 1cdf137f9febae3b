/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of tar archives, as used by the SuiteSparse collection. The member NAME/NAME.mtx (or .rb) is the
 * matrix, or else the only member with such an ending. It is read in place; nothing is written to any path.
 *
 * Supported: v7, ustar, long names of GNU tar and of pax. The checksum of each header is checked, and each
 * size against the archive. */
#include <stdio.h>
#include <string.h>

#include "digits.h"
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "format/base/file_ending.h"
#include "reader.h"

#define BLOCK 512u
#define NAME_BYTES 100u
#define SIZE_AT 124u
#define SIZE_DIGITS 12u
#define SUM_AT 148u
#define SUM_DIGITS 8u
#define TYPE_AT 156u
#define MAGIC_AT 257u
#define LIST_BYTES 160u /* names in a message */

/* A text that need not end with a zero byte. */
struct name {
    const char *begin;
    uint64_t length;
};

static struct name name_of(const char *begin, uint64_t capacity)
{
    return (struct name){begin, strnlen(begin, capacity)};
}

struct archive {
    struct spmmi_reader *reader;
    const char *bytes;
    uint64_t size;
    uint64_t at;           /* offset of the next header */
    struct name long_name; /* from GNU tar or pax, for the next member */
    bool has_long_size;
    uint64_t long_size; /* from pax, for the next member */
};

struct member {
    /* Without the prefix of ustar, which only paths of more than 100 bytes have. */
    struct name name;
    char type;
    const char *bytes;
    uint64_t size;
};

static spmm_status_t damaged(const struct archive *a, uint64_t offset, const char *what)
{
    return spmmi_reader_fail(a->reader, SPMM_ERR_MATRIX_CONTAINER, 0, "the tar archive: %s at byte %llu",
                             what, (unsigned long long)offset);
}

/* Reads octal digits after blanks, up to a blank or a zero byte, or the binary form of GNU tar: big-endian
 * bytes after 0x80. */
static bool read_number(const char *field, unsigned digits, uint64_t *number)
{
    unsigned i = 0;
    *number = 0;
    if ((unsigned char)field[0] == 0x80) {
        for (i = 1; i < digits; i++) {
            if (*number >> 56 != 0)
                return false;
            *number = *number << 8 | (unsigned char)field[i];
        }
        return true;
    }
    while (i < digits && field[i] == ' ')
        i++;
    for (; i < digits && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number * 8 + (uint64_t)(field[i] - '0');
    return i == digits || field[i] == ' ' || field[i] == '\0';
}

/* Returns true if the checksum is the sum of all bytes, with the bytes of the checksum itself counted as
 * blanks. */
static bool has_sum(const char *header)
{
    uint64_t said = 0;
    uint64_t sum = 0;
    for (unsigned i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_DIGITS ? (unsigned)' ' : (unsigned char)header[i];
    return read_number(header + SUM_AT, SUM_DIGITS, &said) && said == sum;
}

static bool has_magic(const char *header)
{
    return memcmp(header + MAGIC_AT, "ustar", 5) == 0;
}

static enum spmmi_probe probe(const struct spmmi_head *head)
{
    if (head->size >= BLOCK && *head->bytes != '\0' && (has_magic(head->bytes) || has_sum(head->bytes)))
        return SPMMI_PROBE_CONTENT;
    return spmmi_head_named(head, ".tar") || spmmi_head_named(head, ".tgz") ? SPMMI_PROBE_NAME
                                                                            : SPMMI_PROBE_NO;
}

static void refuse(const struct spmmi_head *head, char *sentence, size_t capacity)
{
    char token[SPMMI_TOKEN_BYTES];
    (void)snprintf(sentence, capacity, "expected a tar archive, found %s",
                   spmmi_token(head->bytes, head->bytes + head->size, token));
}

/* Reads a record "LENGTH KEY=VALUE\n" of pax at *p, and advances *p. Returns false if it is malformed. */
static bool read_record(struct archive *a, const char **p, const char *end)
{
    uint64_t length = 0;
    const char *begin = *p;
    const char *q = spmmi_count_read(begin, end, &length);
    /* A record that ends with a line end is longer than its digits. */
    if (q == NULL || length == 0 || length > (uint64_t)(end - begin) || begin[length - 1] != '\n' ||
        *q != ' ')
        return false;
    const struct name text = {q + 1, length - (uint64_t)(q - begin) - 2}; /* KEY=VALUE */
    const char *value = text.begin + 5;
    const char *value_end = text.begin + text.length;
    *p = begin + length;
    if (text.length > 5 && memcmp(text.begin, "path=", 5) == 0)
        a->long_name = (struct name){value, text.length - 5};
    if (text.length <= 5 || memcmp(text.begin, "size=", 5) != 0)
        return true;
    a->has_long_size = true;
    return spmmi_count_read(value, value_end, &a->long_size) == value_end;
}

/* Reads the properties that an extension header gives to the next member. */
static spmm_status_t read_extension(struct archive *a, const struct member *m)
{
    const char *p = m->bytes;
    const char *end = p + m->size;
    if (m->type == 'L')
        a->long_name = name_of(p, m->size);
    while (m->type == 'x' && p < end)
        if (!read_record(a, &p, end))
            return damaged(a, (uint64_t)(p - a->bytes), "expected a record of pax");
    return SPMM_OK;
}

/* Applies the name and the size of preceding extension headers to a member. */
static void apply_extension(struct archive *a, struct member *m)
{
    if (a->long_name.begin != NULL)
        m->name = a->long_name;
    if (a->has_long_size)
        m->size = a->long_size;
    a->long_name.begin = NULL;
    a->has_long_size = false;
}

static bool is_extension(char type)
{
    return type == 'x' || type == 'g' || type == 'L' || type == 'K';
}

/* Returns false for links, folders and devices: they have no bytes, whatever their size field says. */
static bool has_bytes(char type)
{
    return type < '1' || type > '6';
}

/* Reads the next member. Its type is 0 at the end of the archive. */
static spmm_status_t next_member(struct archive *a, struct member *m)
{
    const char *header = a->bytes + a->at;
    uint64_t padded = 0;
    if (a->size - a->at < BLOCK)
        return damaged(a, a->at, "expected a header or the end mark, found the end of the file");
    *m = (struct member){.bytes = header + BLOCK};
    if (*header == '\0')
        return SPMM_OK;
    if (!has_sum(header))
        return damaged(a, a->at, "the header does not match its sum");
    m->type = header[TYPE_AT] != '\0' ? header[TYPE_AT] : '0';
    m->name = name_of(header, NAME_BYTES);
    if (!read_number(header + SIZE_AT, SIZE_DIGITS, &m->size))
        return damaged(a, a->at + SIZE_AT, "expected a size");
    if (!is_extension(m->type))
        apply_extension(a, m);
    if (!has_bytes(m->type))
        m->size = 0;
    a->at += BLOCK;
    if (!spmmi_align_u64(m->size, BLOCK, &padded) || m->size > a->size - a->at)
        return damaged(a, a->at - BLOCK, "a member is longer than what is left; is it cut off?");
    a->at += padded < a->size - a->at ? padded : a->size - a->at;
    return is_extension(m->type) ? read_extension(a, m) : SPMM_OK;
}

static bool is_matrix(const struct member *m)
{
    return (m->type == '0' || m->type == '7') && (spmmi_has_ending(m->name.begin, m->name.length, ".mtx") ||
                                                  spmmi_has_ending(m->name.begin, m->name.length, ".rb"));
}

/* Returns true for NAME/NAME.mtx: the member has the name of its folder. */
static bool is_named_as_folder(struct name path)
{
    uint64_t point = path.length;
    while (path.begin[--point] != '.') /* is_matrix has found a point */
        ;
    uint64_t slash = point;
    while (slash > 0 && path.begin[slash - 1] != '/')
        slash--;
    const uint64_t length = point - slash;
    return slash > length && memcmp(path.begin + slash - 1 - length, path.begin + slash, length) == 0 &&
           (slash == length + 1 || path.begin[slash - length - 2] == '/');
}

/* The result of the search: names for the message, and the matrix. */
struct finding {
    char names[LIST_BYTES]; /* names of the candidates, or of all files if there are none */
    unsigned candidates, named;
    struct member matrix;
};

static void note_member(struct finding *f, const struct member *m)
{
    if (is_matrix(m)) {
        const bool is_named = is_named_as_folder(m->name);
        if (f->candidates++ == 0)
            f->names[0] = '\0';
        if (is_named || f->named == 0)
            f->matrix = *m;
        f->named += is_named;
    }
    if (is_matrix(m) || (f->candidates == 0 && has_bytes(m->type)))
        spmmi_list_add(f->names, sizeof f->names, m->name.begin, m->name.length);
}

static spmm_status_t find_matrix(struct archive *a, struct finding *f)
{
    spmm_status_t status = SPMM_OK;
    struct member m;
    for (;;) {
        SPMM_TRY(next_member(a, &m));
        if (m.type == '\0')
            break;
        if (!is_extension(m.type))
            note_member(f, &m);
    }
    if (f->candidates == 0)
        status = spmmi_reader_fail(a->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                                   "expected a member NAME/NAME.mtx in the tar archive, found %s",
                                   f->names[0] != '\0' ? f->names : "none");
    else if (f->named != 1 && f->candidates > 1)
        status = spmmi_reader_fail(a->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                                   "expected one matrix in the tar archive, found %u; unpack one of %s",
                                   f->candidates, f->names);
cleanup:
    return status;
}

/* Makes the member the source in messages and in the detection of the format. */
static void enter(struct spmmi_reader *reader, struct name name)
{
    const size_t used = strlen(reader->label);
    const uint64_t kept = name.length < sizeof reader->file ? name.length : sizeof reader->file - 1;
    memcpy(reader->file, name.begin + name.length - kept, kept);
    reader->file[kept] = '\0';
    if (used + 12 < sizeof reader->label) {
        memcpy(reader->label + used, ": ", 2);
        spmmi_escape(name.begin, name.length, reader->label + used + 2, sizeof reader->label - used - 2);
    }
}

extern const struct spmmi_reader_ops spmmi_reader_tar;

static spmm_status_t read_tar(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                              spmm_matrix_t *matrix)
{
    spmm_status_t status = SPMM_OK;
    struct archive archive = {.reader = reader, .bytes = bytes, .size = size};
    struct finding finding = {.candidates = 0};
    const struct spmmi_reader_ops *ops = NULL;
    SPMM_TRY(find_matrix(&archive, &finding));
    enter(reader, finding.matrix.name);
    SPMM_TRY(spmmi_reader_find(reader, finding.matrix.bytes, finding.matrix.size, true, &ops));
    if (ops == &spmmi_reader_tar) {
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                                   "expected a matrix in the tar archive, found another tar archive");
        goto cleanup;
    }
    (void)snprintf(matrix->info.format, sizeof matrix->info.format, "%s", ops->format);
    SPMM_TRY(ops->read(reader, finding.matrix.bytes, finding.matrix.size, matrix));
cleanup:
    return status;
}

const struct spmmi_reader_ops spmmi_reader_tar = {"tar", "tar", probe, refuse, read_tar};
