/* SPDX-License-Identifier: Apache-2.0 */
/* See product_files.h. */
#include "product_files.h"

#include <string.h>

#include "tools/cli/matrix_input.h"

spmm_status_t product_files_open(char **names, int given, const spmm_read_options_t *read,
                                 struct product_files *files, const char **culprit, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *files = (struct product_files){.count = 0};
    for (int i = 0; i < given && status == SPMM_OK; i++) {
        int same = 0;
        while (same < files->count && strcmp(files->path[same], names[i]) != 0)
            same++;
        files->operand[i] = same;
        if (same < files->count)
            continue;
        *culprit = files->path[same] = names[i];
        files->count++;
        status = matrix_input_open(names[i], read, &files->matrix[same], diag);
    }
    return status;
}

void product_files_close(struct product_files *files)
{
    for (int i = 0; i < files->count; i++)
        spmm_matrix_destroy(files->matrix[i]);
    *files = (struct product_files){.count = 0};
}
