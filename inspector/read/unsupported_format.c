/* SPDX-License-Identifier: Apache-2.0 */
/* Known formats that are not supported, recognised by their first bytes, with advice. */
#include <string.h>

#include "format/file/plan_records.h"
#include "reader.h"

static const struct {
    const char *magic;
    size_t size;
    const char *name;
} unsupported_formats[] = {
#define MAGIC(bytes) bytes, sizeof(bytes) - 1
    {MAGIC(SPMMI_MAGIC), "a spmm plan, which is made from a matrix; spmm-info shows it"},
    {MAGIC("version https://git-lfs"), "a git-lfs pointer; fetch the file itself with git lfs pull"},
    {MAGIC("BZh"), "bzip2 data; unpack it first"},
    {MAGIC("\xfd"
           "7zXZ"),
     "xz data; unpack it first"},
    {MAGIC("\x1f\x8b"), "gzip data inside compressed data; unpack it first"},
    {MAGIC("\x28\xb5\x2f\xfd"), "zstd data inside compressed data; unpack it first"},
    {MAGIC("\x89HDF"), "an HDF5 file, which spmm does not read"},
    {MAGIC("MATLAB 5.0"), "a MATLAB file (.mat), which spmm does not read"},
    {MAGIC("\x93NUMPY"), "a NumPy array; save the matrix with scipy.sparse.save_npz"},
    {MAGIC("\x00\x12\x7b\x50"), "a matrix in PETSc's binary format, which spmm does not read"},
#undef MAGIC
};

#define TAR_MAGIC_AT 257u

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
    if (head->size > TAR_MAGIC_AT + 5 && memcmp(head->bytes + TAR_MAGIC_AT, "ustar", 5) == 0)
        return "a tar archive; unpack it first";
    const char *first = first_of_text(head);
    if (first != NULL && *first == '<')
        return "an HTML or XML page";
    return NULL;
}
