/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the messages of a reader: one sentence with label, line, expected and found text. See reader.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "reader.h"

#define TOKEN_SHOWN 24 /* characters of a token that a message shows */

spmm_status_t spmmi_reader_fail(struct spmmi_reader *reader, spmm_status_t status, uint64_t line,
                                const char *format, ...)
{
    char sentence[sizeof((spmm_diag_t *)0)->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    const struct spmmi_where where = {0, line, 0};
    if (line == 0)
        return spmmi_diag_set(reader->diag, status, where, "%s: %s", reader->label, sentence);
    return spmmi_diag_set(reader->diag, status, where, "%s, line %llu: %s", reader->label,
                          (unsigned long long)line, sentence);
}

spmm_status_t spmmi_reader_fail_at(struct spmmi_reader *reader, spmm_status_t status, uint64_t offset,
                                   const char *format, ...)
{
    char sentence[sizeof((spmm_diag_t *)0)->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return spmmi_diag_set(reader->diag, status, (struct spmmi_where){offset, 0, 0}, "%s, byte %llu: %s",
                          reader->label, (unsigned long long)offset, sentence);
}

void spmmi_reader_add_format(const struct spmmi_reader *reader, spmm_status_t status, const char *format)
{
    char *text = reader->diag != NULL ? reader->diag->text : NULL;
    const bool is_of_file = status == SPMM_ERR_MATRIX_SYNTAX || status == SPMM_ERR_MATRIX_UNSUPPORTED ||
                            status == SPMM_ERR_MATRIX_TOO_LARGE;
    if (text == NULL || !is_of_file || strlen(text) + strlen(format) + 12 > sizeof reader->diag->text)
        return;
    (void)sprintf(text + strlen(text), " (read as %s)", format);
}

bool spmmi_is_text(const char *p, const char *end)
{
    for (; p < end; p++)
        if ((unsigned char)*p < 0x20 && (*p < '\t' || *p > '\r'))
            return false;
    return true;
}

void spmmi_escape(const char *p, uint64_t size, char *text, uint64_t capacity)
{
    uint64_t used = 0;
    for (uint64_t i = 0; i < size; i++) {
        char piece[5];
        const unsigned char c = (unsigned char)p[i];
        if (c >= 0x20 && c < 0x7f)
            (void)snprintf(piece, sizeof piece, "%c", (char)c);
        else
            (void)snprintf(piece, sizeof piece, "\\x%02x", c);
        const uint64_t length = strlen(piece);
        /* Keep space for three dots unless this is the last character. */
        if (used + length + (i + 1 < size ? 3u : 0u) >= capacity) {
            (void)snprintf(text + used, capacity - used, "...");
            return;
        }
        memcpy(text + used, piece, length);
        used += length;
    }
    text[used] = '\0';
}

void spmmi_list_add(char *list, uint64_t capacity, const char *name, uint64_t length)
{
    const uint64_t used = strlen(list);
    const uint64_t comma = used > 0 ? 2 : 0;
    if (used + comma + 8 >= capacity)
        return;
    memcpy(list + used, ", ", comma);
    spmmi_escape(name, length, list + used + comma, capacity - used - comma);
}

const char *spmmi_token(const char *p, const char *end, char text[SPMMI_TOKEN_BYTES])
{
    const char *stop = p;
    while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\n' && *stop != '\r')
        stop++;
    if (p == end)
        return "the end of the file";
    if (stop == p && *p == '\r' && p + 1 < end && p[1] != '\n')
        return "a carriage return without line feed";
    if (stop == p)
        return "the end of the line";
    const uint64_t length = (uint64_t)(stop - p);
    text[0] = '"';
    if (length <= TOKEN_SHOWN) {
        spmmi_escape(p, length, text + 1, SPMMI_TOKEN_BYTES - 2);
    } else {
        spmmi_escape(p, TOKEN_SHOWN, text + 1, SPMMI_TOKEN_BYTES - 5);
        strcat(text, "...");
    }
    strcat(text, "\"");
    return text;
}
