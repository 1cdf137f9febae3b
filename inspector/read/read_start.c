/* SPDX-License-Identifier: Apache-2.0 */
/* The first bytes of a file: is it something that a reader takes, and if not, what is it? Decided before
 * more than 64 KiB are read, so that endless streams and wrong files are refused at once. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "read_line.h"

#define BANNER "%%MatrixMarket"

static bool starts(const char *text, uint64_t size, const char *with)
{
    const size_t length = strlen(with);
    return size >= length && strncasecmp(text, with, length) == 0;
}

bool spmmi_looks_like_smtx(const char *text, const char *end)
{
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        uint64_t value = 0;
        p = spmmi_count_read(spmmi_skip_blanks(p, end), end, &value);
        if (p == NULL)
            return false;
        p = spmmi_skip_blanks(p, end);
        if (i < 2 && (p == end || *p++ != ','))
            return false;
    }
    return spmmi_line_end(p, end) != NULL;
}

/* Things that are often given in place of a matrix. */
static const char *known_stranger(const char *text, uint64_t size)
{
    static const struct {
        const char *magic, *name;
    } strangers[] = {
        {"\xef\xbb\xbf", "a UTF-8 byte order mark; save the file without it"},
        {"version https://git-lfs", "a git-lfs pointer; fetch the file itself with git lfs pull"},
        {"BZh", "bzip2 data; unpack it first"},
        {"\xfd"
         "7zXZ",
         "xz data; unpack it first"},
        {"PK\x03\x04", "a zip archive; unpack it first"},
        {"\x1f\x8b", "gzip data inside compressed data; unpack it first"},
        {"\x28\xb5\x2f\xfd", "zstd data inside compressed data; unpack it first"},
        {"\x89HDF", "an HDF5 file"},
        {"MATLAB 5.0", "a MATLAB file"},
        {"\x93NUMPY", "a NumPy array"},
    };
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (starts(text, size, strangers[i].magic))
            return strangers[i].name;
    if (size > 262 && memcmp(text + 257, "ustar", 5) == 0)
        return "a tar archive; unpack it first";
    while (size > 0 && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r')) {
        text++;
        size--;
    }
    if (size > 0 && *text == '<')
        return "an HTML or XML page";
    return NULL;
}

spmm_status_t spmmi_check_start(struct spmmi_reader *reader, const char *text, uint64_t size,
                                bool prefix_is_all)
{
    char token[SPMMI_TOKEN_BYTES];
    const char *end = text + size;
    const char *stranger = known_stranger(text, size);
    if (stranger != NULL)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "expected a matrix file, found %s",
                                 stranger);
    if (size == 0)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                                 "expected a matrix file, found an empty file");
    const size_t banner = strlen(BANNER);
    if (starts(text, size, BANNER) && (size == banner || text[banner] == ' ' || text[banner] == '\t' ||
                                       text[banner] == '\r' || text[banner] == '\n'))
        return SPMM_OK;
    if (reader->is_smtx_name || spmmi_looks_like_smtx(text, end)) {
        if (spmmi_is_digit(*text) && (prefix_is_all || memchr(text, '\n', size) != NULL))
            return SPMM_OK;
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                                 "expected \"rows, columns, nonzeros\", found %s",
                                 spmmi_token(text, end, token));
    }
    const char *first = spmmi_skip_blanks(text, end);
    const char *hint = "";
    if (first > text && starts(first, (uint64_t)(end - first), BANNER))
        hint = " behind blanks; the banner starts the file";
    else if (starts(text, size, &BANNER[1]))
        hint = "; the banner starts with two percent signs";
    else if (first == end || *first == '\n' || *first == '\r' || *first == '%')
        hint = "; the banner is the first line";
    else if (spmmi_is_digit(*first))
        hint = "; the file has no banner";
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                             "expected %s at the start of the file, found %s%s", BANNER,
                             spmmi_token(first, end, token), hint);
}
