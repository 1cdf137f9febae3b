/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a program writes: under its name, it is whole or it is not there. Of a symbolic link, the file that it
 * leads to is replaced; one that leads nowhere is refused. Devices, pipes and the like are written to as they are. */
#ifndef SPMM_TOOLS_OUTPUT_FILE_H
#define SPMM_TOOLS_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "format/base/new_file.h"

struct output_file {
    struct spmmi_new_file file;
    char *path; /* without links; owned */
    spmm_diag_t *diag;
    bool is_special; /* no regular file */
};

/* One at a time, and output_file_close always follows. */
spmm_status_t output_file_open(struct output_file *out, const char *path, spmm_diag_t *diag);
spmm_status_t output_file_write(struct output_file *out, const void *bytes, size_t size);
/* Puts the file under its name if status is SPMM_OK; else, or when that fails, nothing is left of it. */
spmm_status_t output_file_close(struct output_file *out, spmm_status_t status);

/* A whole file that print writes to a stream, which looks after its errors. */
spmm_status_t output_file_print(const char *path, void (*print)(FILE *file, const void *context),
                                const void *context, spmm_diag_t *diag);

#endif
