/* SPDX-License-Identifier: Apache-2.0 */
/* See new_file.h. */
#include "new_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <sys/random.h>

#include "format/base/alloc.h"
#include "format/base/file_io.h"

#define NAME_TRIES 16

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static size_t temporary_bytes(const char *path)
{
    return strlen(path) + sizeof "./" + sizeof "..0123456789abcdef.spmm-tmp";
}

static spmm_status_t set_names(struct spmmi_new_file *f, const char *path, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t folder_bytes = (size_t)(name_of(path) - path);
    f->path = path;
    SPMM_REQUIRE(*name_of(path) != '\0', SPMM_ERR_ARGUMENT, diag, "%s: not the name of a file", path);
    f->folder = spmmi_alloc(folder_bytes + sizeof "./", 1);
    f->temporary = spmmi_alloc(temporary_bytes(path), 1);
    SPMM_TRY_ALLOC(f->folder, diag);
    SPMM_TRY_ALLOC(f->temporary, diag);
    (void)snprintf(f->folder, folder_bytes + sizeof "./", "%.*s", folder_bytes == 0 ? 2 : (int)folder_bytes,
                   folder_bytes == 0 ? "./" : path);
cleanup:
    return status;
}

/* Tries one temporary name: links the unnamed file to it, or creates the file with it. Returns true on
 * success. Sets is_named before the name exists, so that a signal handler cannot miss it. */
static int try_name(struct spmmi_new_file *f, uint64_t number)
{
    (void)snprintf(f->temporary, temporary_bytes(f->path), "%s.%s.%016llx.spmm-tmp", f->folder,
                   name_of(f->path), (unsigned long long)number);
    f->is_named = 1;
    if (f->file >= 0)
        return spmmi_io->link(f->file, f->temporary) == 0;
    f->file = spmmi_open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    return f->file >= 0;
}

/* Tries random temporary names until one is free. */
static spmm_status_t give_name(struct spmmi_new_file *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    errno = EEXIST;
    for (int tries = 0; tries < NAME_TRIES && !f->is_named && errno == EEXIST; tries++) {
        uint64_t number = 0;
        SPMM_REQUIRE_IO(getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number, diag,
                        "draw a name for", f->folder);
        f->is_named = try_name(f, number);
    }
    SPMM_REQUIRE_IO(f->is_named, diag, "create", f->temporary);
cleanup:
    return status;
}

/* Opens a file without a name. Returns -1 if the file system has no such files, or if /proc, which is needed
 * to name the file later, is missing. */
static int open_unnamed(const char *folder)
{
    char self[48];
    const int file = spmmi_open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0)
        return -1;
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    if (access(self, F_OK) == 0)
        return file;
    (void)spmmi_close(file);
    return -1;
}

/* Copies the mode of the old file before anything is written:
 * who may not read the old file may not read the new one. */
static spmm_status_t take_mode(const struct spmmi_new_file *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct stat old, new;
    const int is_there = lstat(f->path, &old) == 0;
    SPMM_REQUIRE_IO(is_there || errno == ENOENT, diag, "look at", f->path);
    if (!is_there || !S_ISREG(old.st_mode))
        goto cleanup;
    SPMM_REQUIRE_IO(spmmi_io->fstat(f->file, &new) == 0, diag, "look at the new", f->path);
    SPMM_REQUIRE_IO(((old.st_mode ^ new.st_mode) & 0777) == 0 || fchmod(f->file, old.st_mode & 0777) == 0,
                    diag, "set the mode of the new", f->path);
cleanup:
    return status;
}

spmm_status_t spmmi_new_file_open(struct spmmi_new_file *f, const char *path, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(set_names(f, path, diag));
    /* The folder is opened first, so that a folder that cannot
     * be synchronised fails before anything is written. */
    f->directory = spmmi_open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    SPMM_REQUIRE_IO(f->directory >= 0, diag, "open", f->folder);
    f->file = open_unnamed(f->folder);
    if (f->file < 0)
        SPMM_TRY(give_name(f, diag));
    SPMM_TRY(take_mode(f, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_new_file_write(struct spmmi_new_file *f, const void *bytes, uint64_t size,
                                   spmm_diag_t *diag)
{
    return spmmi_write_all(f->file, f->path, bytes, size, diag);
}

/* Synchronises the folder.
 * Some file systems cannot synchronise folders and return EINVAL, which is ignored. */
static spmm_status_t sync_folder(const struct spmmi_new_file *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE_IO(spmmi_sync(f->directory) == 0 || errno == EINVAL, diag, "synchronise", f->folder);
cleanup:
    return status;
}

spmm_status_t spmmi_new_file_commit(struct spmmi_new_file *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE_IO(spmmi_sync(f->file) == 0, diag, "synchronise", f->path);
    if (!f->is_named)
        SPMM_TRY(give_name(f, diag));
    const int closing = f->file;
    f->file = -1;
    SPMM_REQUIRE_IO(spmmi_close(closing) == 0, diag, "close", f->path);
    SPMM_REQUIRE_IO(spmmi_io->rename(f->temporary, f->path) == 0, diag, "rename to", f->path);
    f->is_named = 0;
    SPMM_TRY(sync_folder(f, diag));
cleanup:
    return status;
}

void spmmi_new_file_remove(const struct spmmi_new_file *f)
{
    if (f->is_named)
        (void)spmmi_io->unlink(f->temporary);
}

void spmmi_new_file_close(struct spmmi_new_file *f)
{
    if (f->file >= 0)
        (void)spmmi_close(f->file);
    spmmi_new_file_remove(f);
    f->is_named = 0;
    if (f->directory >= 0)
        (void)spmmi_close(f->directory);
    spmmi_free(f->temporary);
    spmmi_free(f->folder);
    *f = (struct spmmi_new_file)SPMMI_NEW_FILE_INIT;
}
