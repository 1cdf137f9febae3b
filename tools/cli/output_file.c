/* SPDX-License-Identifier: Apache-2.0 */
/* See output_file.h. */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "signals.h"

#define BUFFER_BYTES ((size_t)1 << 18)

static spmm_status_t fail_call(struct output_file *out, const char *what)
{
    const int code = errno;
    (void)fail(out->diag, SPMM_ERR_IO, "%s: %s", what, strerror(code));
    out->diag->native_error = code;
    return SPMM_ERR_IO;
}

static spmm_status_t open_special(struct output_file *out, const char *path)
{
    out->file.path = path;
    do
        out->file.file = open(path, O_WRONLY | O_CLOEXEC);
    while (out->file.file < 0 && errno == EINTR);
    return out->file.file < 0 ? fail_call(out, "the file cannot be opened") : SPMM_OK;
}

static bool is_link(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
}

spmm_status_t output_file_open(struct output_file *out, const char *path, spmm_diag_t *diag)
{
    struct stat about;
    const bool is_there = stat(path, &about) == 0;
    *out = (struct output_file){.file = SPMMI_NEW_FILE_INIT, .diag = diag};
    out->is_special = is_there && !S_ISREG(about.st_mode);
    if (out->is_special)
        return open_special(out, path);
    if (!is_there && is_link(path))
        return fail(diag, SPMM_ERR_IO, "the symbolic link leads to no file");
    out->path = is_there ? realpath(path, NULL) : strdup(path);
    if (out->path == NULL)
        return fail_call(out, "the file cannot be opened");
    signals_guard(&out->file);
    return spmmi_new_file_open(&out->file, out->path, diag);
}

spmm_status_t output_file_write(struct output_file *out, const void *bytes, size_t size)
{
    return spmmi_new_file_write(&out->file, bytes, size, out->diag);
}

spmm_status_t output_file_close(struct output_file *out, spmm_status_t status)
{
    if (status == SPMM_OK && !out->is_special)
        status = spmmi_new_file_commit(&out->file, out->diag);
    spmmi_new_file_remove(&out->file);
    signals_release(); /* the signal handler must not see the file after it is freed */
    spmmi_new_file_close(&out->file);
    free(out->path);
    out->path = NULL;
    return status;
}

static ssize_t write_cookie(void *context, const char *bytes, size_t size)
{
    return output_file_write(context, bytes, size) == SPMM_OK ? (ssize_t)size : 0;
}

/* If a write fails, write_cookie has already stored the sentence in the diagnostics. */
static spmm_status_t print_all(struct output_file *out, void (*print)(FILE *file, const void *context),
                               const void *context)
{
    FILE *file = fopencookie(out, "w", (cookie_io_functions_t){.write = write_cookie});
    if (file == NULL)
        return fail_call(out, "the file cannot be written");
    (void)setvbuf(file, NULL, _IOFBF, BUFFER_BYTES);
    print(file, context);
    const bool has_failed = ferror(file) != 0;
    return fclose(file) != 0 || has_failed ? SPMM_ERR_IO : SPMM_OK;
}

spmm_status_t output_file_print(const char *path, void (*print)(FILE *file, const void *context),
                                const void *context, spmm_diag_t *diag)
{
    struct output_file out;
    spmm_status_t status = output_file_open(&out, path, diag);
    if (status == SPMM_OK)
        status = print_all(&out, print, context);
    return output_file_close(&out, status);
}
