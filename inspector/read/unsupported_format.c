/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises known but unsupported formats by their first bytes, and gives advice. */
#include <string.h>

#include "format/file/plan_records.h"
#include "read_edge_list.h"

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
    {MAGIC("\x89HDF"), "an HDF5 file; of those spmm reads MATLAB's alone (save -v7.3)"},
    {MAGIC("\x93NUMPY"), "a NumPy array; save the matrix with scipy.sparse.save_npz"},
#undef MAGIC
};

static const char *first_of_text(const struct spmmi_head *head)
{
    uint64_t i = 0;
    while (i < head->size && memchr(" \t\n\r", head->bytes[i], 4) != NULL)
        i++;
    return i < head->size ? head->bytes + i : NULL;
}

const char *spmmi_unsupported_format(const struct spmmi_head *head)
{
    for (size_t i = 0; i < sizeof unsupported_formats / sizeof *unsupported_formats; i++)
        if (spmmi_head_starts(head, unsupported_formats[i].magic, unsupported_formats[i].size))
            return unsupported_formats[i].name;
    const char *first = first_of_text(head);
    if (first != NULL && *first == '<')
        return "an HTML or XML page";
    /* Reached only for a file named .mtx: other lists of edges have a reader. */
    if (spmmi_is_edge_list(head))
        return "what looks like a list of edges; a Matrix Market file has a banner and a line of sizes "
               "before them, and counts rows and columns from 1";
    return NULL;
}
