/* SPDX-License-Identifier: Apache-2.0 */
/* See mat_variable.h. Compressed variables are unpacked up to their names, and completely only if they are
 * chosen. */
#include "mat_variable.h"

#include <stdarg.h>
#include <stdio.h>
#include <zlib.h>

#include "container.h"
#include "format/base/diag.h"

#define TAG 8u
#define HEAD_BYTES 4096u /* unpacked bytes of a compressed variable that contain its name */
#define UNPACKED_MAX UINT64_C(0x7fffffff)
#define COLLECTION "Problem"
#define FIELD SPMMI_MAT_FIELD

spmm_status_t spmmi_mat_fail(struct spmmi_mat *mat, spmm_status_t status, const char *format, ...)
{
    char sentence[sizeof((spmm_diag_t *)0)->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return spmmi_reader_fail(mat->reader, status, 0, "variable %s: %s", mat->shown, sentence);
}

static voidpf budget_alloc(voidpf opaque, uInt count, uInt size)
{
    return spmmi_unpack_alloc(opaque, (uint64_t)count * size);
}

static void budget_free(voidpf opaque, voidpf memory)
{
    spmmi_unpack_free(opaque, memory);
}

spmm_status_t spmmi_mat_inflate(struct spmmi_mat *mat, uint64_t offset, const char *packed, uint32_t size,
                                char *to, uint64_t room, bool whole, uint64_t *got)
{
    struct spmmi_unpack_memory memory = {mat->reader, "zlib decoder"};
    z_stream stream = {.zalloc = budget_alloc, .zfree = budget_free, .opaque = &memory};
    stream.next_in = (Bytef *)(uintptr_t)packed; /* zlib only reads the input */
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)to;
    stream.avail_out = (uInt)room;
    int result = inflateInit(&stream);
    if (result != Z_OK)
        return spmmi_reader_fail(mat->reader, SPMM_ERR_MEMORY, 0, "out of memory while unpacking a variable");
    result = inflate(&stream, Z_FINISH);
    *got = room - stream.avail_out;
    (void)inflateEnd(&stream);
    const bool is_whole = result == Z_STREAM_END && *got == room;
    const bool is_part = result == Z_STREAM_END || (result == Z_BUF_ERROR && *got == room);
    if (whole ? !is_whole : !is_part)
        return spmmi_reader_fail(
            mat->reader, result == Z_MEM_ERROR ? SPMM_ERR_MEMORY : SPMM_ERR_MATRIX_CONTAINER, 0,
            "the compressed variable at byte %llu is damaged or cut off", (unsigned long long)offset);
    return SPMM_OK;
}

/* Unpacks at most `room` bytes of a compressed variable. */
static spmm_status_t unpack(struct spmmi_mat *mat, const struct spmmi_mat_element *packed, char *to,
                            uint64_t room, bool whole, uint64_t *got)
{
    return spmmi_mat_inflate(mat, (uint64_t)(packed->data - mat->bytes) - TAG, packed->data,
                             (uint32_t)packed->size, to, room, whole, got);
}

static spmm_status_t damaged(const struct spmmi_mat *mat, const struct spmmi_mat_element *element,
                             const char *what)
{
    return spmmi_reader_fail_at(mat->reader, SPMM_ERR_MATRIX_SYNTAX,
                                (uint64_t)(element->data - mat->bytes) - TAG, "expected %s", what);
}

/* Reads the header of a variable. If it is compressed, array->rest ends with the unpacked bytes. */
static spmm_status_t read_head(struct spmmi_mat *mat, const struct spmmi_mat_element *element,
                               char head[HEAD_BYTES], struct spmmi_mat_array *array)
{
    spmm_status_t status = SPMM_OK;
    uint64_t got = 0;
    const char *data = element->data;
    uint64_t size = element->size;
    if (element->type == SPMMI_MAT_COMPRESSED) {
        SPMM_TRY(unpack(mat, element, head, HEAD_BYTES, false, &got));
        if (got < TAG || spmmi_mat_word(head, mat->big_endian) != SPMMI_MAT_MATRIX)
            return damaged(mat, element, "an array in the compressed variable");
        data = head + TAG;
        size = got - TAG;
    }
    if (!spmmi_mat_array_read(data, size, mat->big_endian, array))
        status = damaged(mat, element, "flags, dimensions and the name of an array");
cleanup:
    return status;
}

static bool is_sparse(const struct spmmi_mat_array *array)
{
    return array->kind == SPMMI_MAT_SPARSE ||
           (array->kind == SPMMI_MAT_STRUCT && strcmp(array->name, COLLECTION) == 0);
}

void spmmi_mat_note(struct spmmi_mat_search *s, const struct spmmi_mat_element *element,
                    const struct spmmi_mat_array *array)
{
    if (array->name[0] == '\0') /* an object, or internal data of MATLAB for objects */
        return;
    if (s->variable != NULL ? strcmp(array->name, s->variable) == 0 : is_sparse(array)) {
        if (s->sparse++ == 0)
            s->element = *element;
        spmmi_list_add(s->names, sizeof s->names, array->name, strlen(array->name));
    } else if (s->variable != NULL || array->kind >= SPMMI_MAT_DOUBLE) {
        if (s->full++ == 0)
            s->full_element = *element;
        spmmi_list_add(s->full_names, sizeof s->full_names, array->name, strlen(array->name));
    }
}

static spmm_status_t search(struct spmmi_mat *mat, struct spmmi_mat_search *s)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_cursor c = {mat->bytes + SPMMI_MAT_HEADER, mat->bytes + mat->size, mat->big_endian};
    struct spmmi_mat_array array;
    char head[HEAD_BYTES];
    while (c.p < c.end) {
        const uint64_t offset = (uint64_t)(c.p - mat->bytes);
        const struct spmmi_mat_element element = spmmi_mat_next(&c);
        if (element.type == 0)
            return spmmi_reader_fail_at(mat->reader, SPMM_ERR_MATRIX_SYNTAX, offset,
                                        "expected a variable that ends within the file; is it cut off?");
        if (element.type == SPMMI_MAT_COMPRESSED) /* only compressed elements have no padding */
            c.p = element.data + element.size;
        if (element.type != SPMMI_MAT_COMPRESSED && element.type != SPMMI_MAT_MATRIX)
            continue;
        SPMM_TRY(read_head(mat, &element, head, &array));
        spmmi_mat_note(s, &element, &array);
    }
cleanup:
    return status;
}

spmm_status_t spmmi_mat_choose(struct spmmi_mat *mat, const struct spmmi_mat_search *s,
                               struct spmmi_mat_element *element)
{
    const unsigned found = s->sparse > 0 || s->variable != NULL ? s->sparse : s->full;
    const char *names = s->sparse > 0 ? s->names : s->full_names;
    char wanted[SPMMI_TOKEN_BYTES] = "";
    *element = s->sparse > 0 ? s->element : s->full_element;
    /* If a named variable occurs twice, the first one counts. */
    if (found == 1 || (found > 1 && s->variable != NULL))
        return SPMM_OK;
    if (s->variable != NULL) {
        spmmi_escape(s->variable, strlen(s->variable), wanted, sizeof wanted);
        return spmmi_reader_fail(mat->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                                 "expected a variable %s in the MATLAB file, found %s", wanted,
                                 names[0] != '\0' ? names : "none");
    }
    /* The list is last, so that only its end is cut off if the message is too long. */
    return spmmi_reader_fail(mat->reader, SPMM_ERR_MATRIX_UNSUPPORTED, 0,
                             "expected one matrix in the MATLAB file, found %u%s%s", found,
                             found > 0 ? "; --variable of spmm-inspect names one of " : "", names);
}

/* Replaces a compressed element by the unpacked array. */
static spmm_status_t unpack_whole(struct spmmi_mat *mat, struct spmmi_mat_element *element)
{
    spmm_status_t status = SPMM_OK;
    char tag[TAG];
    uint64_t got = 0;
    if (element->type != SPMMI_MAT_COMPRESSED)
        return SPMM_OK;
    SPMM_TRY(unpack(mat, element, tag, sizeof tag, false, &got));
    const uint64_t size = TAG + (uint64_t)spmmi_mat_word(tag + 4, mat->big_endian);
    if (size > UNPACKED_MAX || size / SPMMI_MAT_RATIO_MAX > element->size + 1)
        return damaged(mat, element, "a size that the compressed variable can hold");
    SPMM_TRY(spmmi_bytes_reserve(mat->reader, &mat->unpacked, size));
    SPMM_TRY(unpack(mat, element, mat->unpacked.data, size, true, &got));
    *element = (struct spmmi_mat_element){SPMMI_MAT_MATRIX, mat->unpacked.data + TAG, size - TAG};
cleanup:
    return status;
}

/* Returns the index of field A in the names, which have `length` bytes each; -1 if there is none. */
static int64_t field_of(const struct spmmi_mat_element *names, uint64_t length)
{
    for (uint64_t i = 0; length > sizeof FIELD - 1 && i + length <= names->size; i += length)
        if (strncmp(names->data + i, FIELD, length) == 0)
            return (int64_t)(i / length);
    return -1;
}

/* Replaces a struct by its field A. */
static spmm_status_t enter_struct(struct spmmi_mat *mat, struct spmmi_mat_array *array)
{
    struct spmmi_mat_element element;
    if (array->dims != 2 || array->rows != 1 || array->cols != 1)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected one struct, found an array of them");
    const struct spmmi_mat_element length = spmmi_mat_next(&array->rest);
    const struct spmmi_mat_element names = spmmi_mat_next(&array->rest);
    if (length.size != 4)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected the names of its fields");
    const int64_t place = field_of(&names, spmmi_mat_word(length.data, mat->big_endian));
    if (place < 0)
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected a field %s, found a struct without it", FIELD);
    for (int64_t i = 0; i <= place; i++) {
        element = spmmi_mat_next(&array->rest);
        if (element.type != SPMMI_MAT_MATRIX)
            return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX,
                                  "expected a field that ends within the struct");
    }
    (void)snprintf(mat->shown + strlen(mat->shown), sizeof mat->shown - strlen(mat->shown), ".%s", FIELD);
    if (!spmmi_mat_array_read(element.data, element.size, mat->big_endian, array))
        return spmmi_mat_fail(mat, SPMM_ERR_MATRIX_SYNTAX, "expected flags, dimensions and a name");
    return SPMM_OK;
}

spmm_status_t spmmi_mat_find(struct spmmi_mat *mat, struct spmmi_mat_array *array)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_mat_search s = {.variable = mat->reader->variable};
    struct spmmi_mat_element element;
    SPMM_TRY(search(mat, &s));
    SPMM_TRY(spmmi_mat_choose(mat, &s, &element));
    SPMM_TRY(unpack_whole(mat, &element));
    /* This succeeded during the search. If it fails now, the array has no kind and is refused later. */
    (void)spmmi_mat_array_read(element.data, element.size, mat->big_endian, array);
    spmmi_escape(array->name, strlen(array->name), mat->shown, sizeof mat->shown - sizeof FIELD - 1);
    if (array->kind == SPMMI_MAT_STRUCT)
        SPMM_TRY(enter_struct(mat, array));
cleanup:
    return status;
}

void spmmi_mat_close(struct spmmi_mat *mat)
{
    spmmi_bytes_free(mat->reader, &mat->unpacked);
}
