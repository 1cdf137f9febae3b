/* SPDX-License-Identifier: Apache-2.0 */
/* See export_matrix.h: the table of forms. */
#include "export_matrix.h"
#include "format/base/file_ending.h"

static const struct export_form forms[] = {
    {"mtx", "Matrix Market", PACKING_NONE, 0, export_mtx},
    {"mtx.gz", NULL, PACKING_DEFLATE, 0, export_mtx},
    {"mtx.zst", NULL, PACKING_ZSTD, 0, export_mtx},
    {"npz", "SciPy", PACKING_DEFLATE, 0, export_npz},
    {"smtx", "DLMC, no values", PACKING_NONE, 1, export_smtx},
    {"smtx.gz", NULL, PACKING_DEFLATE, 1, export_smtx},
    {"smtx.zst", NULL, PACKING_ZSTD, 1, export_smtx},
};

const struct export_form *export_form_at(int index)
{
    return index >= 0 && (size_t)index < sizeof forms / sizeof *forms ? &forms[index] : NULL;
}

const struct export_form *export_form_of_file(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const size_t ending = strlen(forms[i].name);
        if (length > ending && path[length - ending - 1] == '.' &&
            spmmi_has_ending(path, length, forms[i].name))
            return &forms[i];
    }
    return NULL;
}
