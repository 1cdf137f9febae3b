/* SPDX-License-Identifier: Apache-2.0 */
/* A file that appears under its name as a whole or not at all, in place of what had that name, of which it takes the
 * mode if that was a regular file.
 *
 * It is written without a name where the file system has such files (O_TMPFILE): whatever ends the process, nothing is
 * left. Only then does it get a temporary name, for the moment until it is renamed, since a link cannot replace a file.
 * Elsewhere it has the temporary name from the start, FOLDER/.NAME.XXXXXXXXXXXXXXXX.spmm-tmp. */
#ifndef SPMMI_NEW_FILE_H
#define SPMMI_NEW_FILE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <spmm/common.h>

struct spmmi_new_file {
    const char *path;               /* borrowed */
    char *folder, *temporary;       /* owned */
    volatile sig_atomic_t is_named; /* the temporary name may be in the folder */
    int file, directory;            /* descriptors; -1 for none */
};

#define SPMMI_NEW_FILE_INIT         \
    {                               \
        NULL, NULL, NULL, 0, -1, -1 \
    }

spmm_status_t spmmi_new_file_open(struct spmmi_new_file *f, const char *path, spmm_diag_t *diag);
spmm_status_t spmmi_new_file_write(struct spmmi_new_file *f, const void *bytes, uint64_t size,
                                   spmm_diag_t *diag);
/* On disk and under its name. */
spmm_status_t spmmi_new_file_commit(struct spmmi_new_file *f, spmm_diag_t *diag);
/* Always the last call; without a commit, nothing is left of the file. */
void spmmi_new_file_close(struct spmmi_new_file *f);
/* For a signal handler of a program that is about to end: removes the temporary name. */
void spmmi_new_file_remove(const struct spmmi_new_file *f);

#endif
