/* SPDX-License-Identifier: Apache-2.0 */
/* Output files that appear under their name as a whole or not at all. If the path is a symbolic link, the
 * file that it points to is replaced; a link to a missing file is refused. Devices and pipes are written
 * directly. */
#ifndef SPMM_TOOLS_OUTPUT_FILE_H
#define SPMM_TOOLS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "format/base/new_file.h"

struct output_file {
    struct spmmi_new_file file;
    char *path; /* with symbolic links resolved; owned */
    spmm_diag_t *diag;
    bool is_special; /* whether it is not a regular file */
};

/* Opens the file. Only one file may be open at a time. The caller always calls output_file_close, even after
 * a failure. */
spmm_status_t output_file_open(struct output_file *out, const char *path, spmm_diag_t *diag);
spmm_status_t output_file_write(struct output_file *out, const void *bytes, size_t size);
/* Gives the file its name if status is SPMM_OK. Otherwise, or if that fails, removes it. */
spmm_status_t output_file_close(struct output_file *out, spmm_status_t status);

/* Writes a whole file. print writes it to a stream and need not check for errors. */
spmm_status_t output_file_print(const char *path, void (*print)(FILE *file, const void *context),
                                const void *context, spmm_diag_t *diag);

#endif
