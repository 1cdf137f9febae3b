/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls that loading and saving make, as a table: tests replace it by failing ones. */
#ifndef SPMMI_PLAN_IO_H
#define SPMMI_PLAN_IO_H

#include <sys/stat.h>
#include <sys/types.h>

struct spmmi_io {
    int (*open)(const char *path, int flags, mode_t mode);
    int (*fstat)(int file, struct stat *about);
    ssize_t (*read)(int file, void *bytes, size_t size);
    ssize_t (*write)(int file, const void *bytes, size_t size);
    int (*fsync)(int file);
    int (*close)(int file);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
};

extern const struct spmmi_io spmmi_io_system;

#ifdef SPMM_TEST_HOOKS
/* Use this table from now on; NULL goes back to the system. */
void spmmi_io_set(const struct spmmi_io *table);
#endif

#endif
