/* SPDX-License-Identifier: Apache-2.0 */
/* A file to which a program appends. The text is appended in pieces, and each piece is written as a whole or
 * not at all, even if several programs append to the file at the same time. */
#ifndef SPMM_TOOLS_APPEND_FILE_H
#define SPMM_TOOLS_APPEND_FILE_H

#include <stdio.h>

#include <spmm/common.h>

struct append_file {
    FILE *stream; /* collects the next piece: print to this stream; NULL if the file is not open */
    char *text;   /* text of the piece */
    size_t size;
    int file;
    const char *path; /* borrowed */
};

/* Opens path for appending and creates the file if it does not exist. Fails with IO. */
spmm_status_t append_file_open(struct append_file *f, const char *path, spmm_diag_t *diag);
/* Appends what was printed to the stream as one piece and starts the next piece. */
spmm_status_t append_file_flush(struct append_file *f, spmm_diag_t *diag);
/* Appends the last piece, if it is not empty, and closes the file. Does nothing if the file is not open. */
spmm_status_t append_file_close(struct append_file *f, spmm_diag_t *diag);

#endif
