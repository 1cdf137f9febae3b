/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls for files, as a table that tests replace by one with failing calls. The functions below
 * repeat a call that a signal interrupted. */
#ifndef SPMMI_FILE_IO_H
#define SPMMI_FILE_IO_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sys/stat.h>
#include <sys/types.h>

#include "format/base/diag.h"

struct spmmi_io {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*fstat)(int file, struct stat *about);
    ssize_t (*read)(int file, void *bytes, size_t size);
    ssize_t (*pread)(int file, void *bytes, size_t size, off_t at);
    ssize_t (*write)(int file, const void *bytes, size_t size);
    int (*fsync)(int file);
    int (*close)(int file);
    int (*link)(int file, const char *path); /* gives a name to an open file that has none */
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
};

extern const struct spmmi_io spmmi_io_system;

#ifdef SPMM_TEST_HOOKS
extern const struct spmmi_io *spmmi_io;
/* Selects the table for all later calls. NULL selects spmmi_io_system. */
void spmmi_io_set(const struct spmmi_io *table);
#else
extern const struct spmmi_io *const spmmi_io;
#endif

int spmmi_open(const char *path, int flags, mode_t mode);
int spmmi_sync(int file);
int spmmi_close(int file); /* does not repeat an interrupted close: on Linux the file is closed anyway */

/* Reads size bytes, fewer only at the end of the file.
 * Returns the number of bytes read, or -1 with errno set. */
int64_t spmmi_read_up_to(int file, void *bytes, uint64_t size);
/* Reads exactly size bytes.
 * If the file ends earlier, returns PLAN_TRUNCATED with the number of bytes read as the offset. */
spmm_status_t spmmi_read_all(int file, const char *path, uint8_t *bytes, uint64_t size, spmm_diag_t *diag);
/* Like spmmi_read_all, for a file whose position is `at`.
 * Reads many bytes in pieces on up to `threads` threads. */
spmm_status_t spmmi_read_all_on(int threads, int file, const char *path, uint8_t *bytes, uint64_t size,
                                uint64_t at, spmm_diag_t *diag);
/* Reads exactly size bytes at offset `at`, without moving the position of the file.
 * Returns true on success. */
int spmmi_read_at(int file, void *bytes, uint64_t size, uint64_t at);
/* Like spmmi_read_at. Reads many bytes in pieces on up to `threads` threads. */
int spmmi_read_at_on(int threads, int file, uint8_t *bytes, uint64_t size, uint64_t at);
/* Writes exactly size bytes at the position of the file. */
spmm_status_t spmmi_write_all(int file, const char *path, const void *bytes, uint64_t size,
                              spmm_diag_t *diag);

#define SPMM_REQUIRE_IO(condition, diag, verb, path)                                                        \
    do {                                                                                                    \
        if (!(condition))                                                                                   \
            SPMM_FAIL_AT(SPMM_ERR_IO, diag, ((struct spmmi_where){0, 0, errno}), "%s: cannot %s: %s", path, \
                         verb, strerror(errno));                                                            \
    } while (0)

#endif
