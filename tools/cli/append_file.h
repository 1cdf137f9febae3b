/* SPDX-License-Identifier: Apache-2.0 */
/* A file that a program makes longer, in pieces that are there as a whole or not at all, also where several
 * programs append to it at once. */
#ifndef SPMM_TOOLS_APPEND_FILE_H
#define SPMM_TOOLS_APPEND_FILE_H

#include <stdio.h>

#include <spmm/common.h>

struct append_file {
    FILE *stream; /* what is printed here goes to the next piece; NULL: not open */
    char *text;   /* of the piece */
    size_t size;
    int file;
    const char *path; /* borrowed */
};

/* Makes the file if there is none. */
spmm_status_t append_file_open(struct append_file *f, const char *path, spmm_diag_t *diag);
/* Ends a piece and appends it. */
spmm_status_t append_file_flush(struct append_file *f, spmm_diag_t *diag);
/* Appends what is left. Does nothing to a file that is not open. */
spmm_status_t append_file_close(struct append_file *f, spmm_diag_t *diag);

#endif
