/* SPDX-License-Identifier: Apache-2.0 */
/* See append_file.h. */
#include "append_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

spmm_status_t append_file_open(struct append_file *f, const char *path, spmm_diag_t *diag)
{
    *f = (struct append_file){.file = -1, .path = path};
    do
        f->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    while (f->file < 0 && errno == EINTR);
    if (f->file >= 0)
        f->stream = open_memstream(&f->text, &f->size);
    if (f->stream != NULL)
        return SPMM_OK;
    (void)fail(diag, SPMM_ERR_IO, "%.150s cannot be opened: %s", path, strerror(errno));
    if (f->file >= 0)
        (void)close(f->file);
    return SPMM_ERR_IO;
}

/* Writes all bytes. Returns 0 or an errno. */
static int put(int file, const char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(file, bytes + done, size - done);
        if (put < 0 && errno != EINTR)
            return errno;
        done += put > 0 ? (size_t)put : 0;
    }
    return 0;
}

static void lock(int file, int operation)
{
    while (flock(file, operation) != 0 && errno == EINTR)
        continue;
}

/* Like put, but if not all bytes could be written to a regular file, truncates the file to its old size. The
 * lock keeps other programs from appending in between. */
static int append(int file, const char *bytes, size_t size)
{
    struct stat before;
    lock(file, LOCK_EX);
    const int is_known = fstat(file, &before) == 0 && S_ISREG(before.st_mode);
    const int error = put(file, bytes, size);
    if (error != 0 && is_known)
        (void)!ftruncate(file, before.st_size);
    lock(file, LOCK_UN);
    return error;
}

static spmm_status_t fail_write(const struct append_file *f, int error, spmm_diag_t *diag)
{
    return fail(diag, SPMM_ERR_IO, "%.150s: cannot write: %s", f->path, strerror(error));
}

spmm_status_t append_file_flush(struct append_file *f, spmm_diag_t *diag)
{
    if (fflush(f->stream) != 0)
        return fail_memory(diag, f->size, "what is to be appended");
    const int error = append(f->file, f->text, f->size);
    rewind(f->stream);
    return error == 0 ? SPMM_OK : fail_write(f, error, diag);
}

spmm_status_t append_file_close(struct append_file *f, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (f->stream == NULL)
        return SPMM_OK;
    if (ftell(f->stream) > 0)
        status = append_file_flush(f, diag);
    (void)fclose(f->stream);
    free(f->text);
    if (close(f->file) != 0 && status == SPMM_OK)
        status = fail_write(f, errno, diag);
    *f = (struct append_file){.file = -1};
    return status;
}
