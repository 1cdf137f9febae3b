/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic creation of a file: the complete file appears under its name, or nothing changes. It replaces an
 * existing file of that name and keeps the mode of a regular one.
 *
 * If the file system supports it (O_TMPFILE), the file has no name while it is written, so nothing is left if
 * the process ends. A link cannot replace a file, so at the end the file gets a temporary name and is renamed
 * at once. Otherwise it has the temporary name from the start: FOLDER/.NAME.XXXXXXXXXXXXXXXX.spmm-tmp. */
#ifndef SPMMI_NEW_FILE_H
#define SPMMI_NEW_FILE_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <spmm/common.h>

struct spmmi_new_file {
    const char *path;               /* borrowed */
    char *folder, *temporary;       /* owned */
    volatile sig_atomic_t is_named; /* whether the temporary name may exist in the folder */
    int file, directory;            /* descriptors; -1 for none */
};

#define SPMMI_NEW_FILE_INIT         \
    {                               \
        NULL, NULL, NULL, 0, -1, -1 \
    }

/* Opens a new file that will have the name `path`, which is borrowed until spmmi_new_file_close. */
spmm_status_t spmmi_new_file_open(struct spmmi_new_file *f, const char *path, spmm_diag_t *diag);
/* Appends size bytes to the file. */
spmm_status_t spmmi_new_file_write(struct spmmi_new_file *f, const void *bytes, uint64_t size,
                                   spmm_diag_t *diag);
/* Writes the file to disk and gives it its name. */
spmm_status_t spmmi_new_file_commit(struct spmmi_new_file *f, spmm_diag_t *diag);
/* Releases everything; always the last call. Without a commit, nothing is left of the file. */
void spmmi_new_file_close(struct spmmi_new_file *f);
/* Removes the temporary name. Safe in the signal handler of a program that is about to end. */
void spmmi_new_file_remove(const struct spmmi_new_file *f);

#endif
