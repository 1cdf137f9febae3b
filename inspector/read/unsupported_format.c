/* SPDX-License-Identifier: Apache-2.0 */
/* Known formats that are not supported, recognised by their first bytes, with advice. */
#include <stdbool.h>
#include <string.h>

#include "format/file/plan_records.h"
#include "reader.h"

static const struct {
    const char *magic;
    size_t size;
    const char *name;
} unsupported_formats[] = {
#define MAGIC(bytes) bytes, sizeof(bytes) - 1
    {MAGIC(SPMMI_MAGIC), "a spmm plan, which is made from a matrix; spmm-info shows it and spmm-run runs it"},
    {MAGIC("version https://git-lfs"), "a git-lfs pointer; fetch the file itself with git lfs pull"},
    {MAGIC("BZh"), "bzip2 data inside compressed data; unpack it first"},
    {MAGIC("\xfd"
           "7zXZ"),
     "xz data inside compressed data; unpack it first"},
    {MAGIC("\x1f\x8b"), "gzip data inside compressed data; unpack it first"},
    {MAGIC("\x28\xb5\x2f\xfd"), "zstd data inside compressed data; unpack it first"},
    {MAGIC("\x89HDF"), "an HDF5 file, which spmm does not read"},
    {MAGIC("MATLAB 5.0"), "a MATLAB file (.mat), which spmm does not read"},
    {MAGIC("\x93NUMPY"), "a NumPy array; save the matrix with scipy.sparse.save_npz"},
    {MAGIC("\x00\x12\x7b\x50"), "a matrix in PETSc's binary format, which spmm does not read"},
#undef MAGIC
};

static const char *first_of_text(const struct spmmi_head *head)
{
    uint64_t i = 0;
    while (i < head->size && memchr(" \t\n\r", head->bytes[i], 4) != NULL)
        i++;
    return i < head->size ? head->bytes + i : NULL;
}

static const char *line_after(const char *p, const char *end)
{
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    return newline != NULL ? newline + 1 : end;
}

/* The first line that is no comment of % or #. */
static const char *first_data_line(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    const char *p = head->bytes;
    while (p < end && (*p == '%' || *p == '#'))
        p = line_after(p, end);
    return p;
}

/* How many numbers a line holds, between blanks or commas; 0 when it holds anything else. */
static int numbers_of_line(const char *p, const char *end)
{
    int count = 0;
    while (p < end && *p != '\n') {
        const char *token = p;
        while (p < end && *p != '\0' && strchr("0123456789+-.eE", *p) != NULL)
            p++;
        count += p > token;
        if (p < end && *p != '\n' && (*p == '\0' || strchr(" \t,;\r", *p) == NULL))
            return 0;
        p += p < end && *p != '\n';
    }
    return count;
}

/* Lists of edges: two numbers on each line, or behind comments of #, as in SNAP's files, up to four. Three numbers
 * alone may also be a Matrix Market file that lost its banner. */
static bool is_edge_list(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    const char *first = first_data_line(head);
    const char *second = line_after(first, end);
    const int numbers = numbers_of_line(first, end);
    const int numbers_max = head->bytes[0] == '#' ? 4 : 2;
    return numbers >= 2 && numbers <= numbers_max && second < end && numbers_of_line(second, end) == numbers;
}

static const char *graph_format(const struct spmmi_head *head)
{
    const char *end = head->bytes + head->size;
    const int numbers = numbers_of_line(first_data_line(head), end);
    if ((spmmi_head_named(head, ".graph") || spmmi_head_named(head, ".metis")) && numbers >= 2 &&
        numbers <= 4)
        return "a METIS graph, which spmm does not read; write it as a Matrix Market file";
    if (is_edge_list(head))
        return "what looks like a list of edges; a Matrix Market file has a banner and a line of sizes "
               "before "
               "them, and counts rows and columns from 1";
    return NULL;
}

const char *spmmi_unsupported_format(const struct spmmi_head *head)
{
    for (size_t i = 0; i < sizeof unsupported_formats / sizeof *unsupported_formats; i++)
        if (spmmi_head_starts(head, unsupported_formats[i].magic, unsupported_formats[i].size))
            return unsupported_formats[i].name;
    const char *first = first_of_text(head);
    if (first != NULL && *first == '<')
        return "an HTML or XML page";
    return graph_format(head);
}
