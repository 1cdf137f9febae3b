/* SPDX-License-Identifier: Apache-2.0 */
/* See json.h. */
#include "json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "print_text.h"

static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text != '\0') {
        int printable = 0;
        const int bytes = print_character(text, &printable);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (bytes == 1 && !printable)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fwrite(text, 1, (size_t)bytes, out);
        text += bytes == 0 ? 1 : bytes;
    }
    fputc('"', out);
}

static void new_line(struct json *j)
{
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

/* Writes everything in front of a value: comma, line break and key. */
static void open_value(struct json *j, const char *key)
{
    if (j->depth == 0)
        return;
    bool *has_members = &j->has_members[j->depth - 1];
    assert((key == NULL) == j->is_array[j->depth - 1]);
    if (*has_members)
        fputc(',', j->out);
    *has_members = true;
    new_line(j);
    if (key != NULL) {
        write_quoted(j->out, key);
        fputs(": ", j->out);
    }
}

static void open_group(struct json *j, const char *key, bool is_array)
{
    assert(j->depth < JSON_DEPTH_MAX);
    open_value(j, key);
    fputc(is_array ? '[' : '{', j->out);
    j->is_array[j->depth] = is_array;
    j->has_members[j->depth++] = false;
}

void json_start(struct json *j, FILE *out)
{
    *j = (struct json){.out = out};
}

void json_object(struct json *j, const char *key)
{
    open_group(j, key, false);
}

void json_array(struct json *j, const char *key)
{
    open_group(j, key, true);
}

void json_end(struct json *j)
{
    assert(j->depth > 0);
    j->depth--;
    if (j->has_members[j->depth])
        new_line(j);
    fputc(j->is_array[j->depth] ? ']' : '}', j->out);
}

void json_text(struct json *j, const char *key, const char *text)
{
    open_value(j, key);
    if (text == NULL)
        fputs("null", j->out);
    else
        write_quoted(j->out, text);
}

void json_int(struct json *j, const char *key, int64_t value)
{
    open_value(j, key);
    fprintf(j->out, "%lld", (long long)value);
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
    open_value(j, key);
    fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
    open_value(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *key)
{
    open_value(j, key);
    fputs("null", j->out);
}

static void write_number(struct json *j, const char *key, double value, int digits)
{
    open_value(j, key);
    if (isfinite(value))
        fprintf(j->out, "%.*g", digits, value);
    else
        fputs("null", j->out);
}

void json_double(struct json *j, const char *key, double value)
{
    write_number(j, key, value, 17);
}

void json_float(struct json *j, const char *key, double value)
{
    write_number(j, key, value, 9);
}

void json_hex(struct json *j, const char *key, const uint8_t *bytes, size_t count)
{
    open_value(j, key);
    fputc('"', j->out);
    for (size_t i = 0; i < count; i++)
        fprintf(j->out, "%02x", bytes[i]);
    fputc('"', j->out);
}

bool json_finish(struct json *j)
{
    assert(j->depth == 0);
    fputc('\n', j->out);
    return fflush(j->out) == 0 && !ferror(j->out);
}
