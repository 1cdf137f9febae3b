/* SPDX-License-Identifier: Apache-2.0 */
/* See io_faults.h. */
#include "io_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int64_t fail_at;
static _Atomic int64_t calls; /* atomic, because several threads may read */
static enum io_fault fault_now;
static const char *failed;
static int is_renamed, is_named_only;

/* Counts a call. Returns 1 and sets errno if this call must fail. */
static int fails(const char *name)
{
    static const int numbers[IO_FAULT_COUNT] = {EIO, ENOSPC, EDQUOT, EINTR, 0, 0};
    if (calls++ != fail_at)
        return 0;
    if (fault_now == IO_FAULT_KILL)
        (void)raise(SIGKILL);
    failed = name;
    errno = numbers[fault_now];
    return fault_now != IO_FAULT_SHORT;
}

static int is_short_now(void)
{
    return fault_now == IO_FAULT_SHORT && calls == fail_at + 1;
}

static int faulty_open(const char *path, int flags, mode_t mode)
{
    const int is_unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    if (fails(is_unnamed ? "open unnamed" : "open"))
        return -1;
    if (!is_unnamed || !is_named_only)
        return spmmi_io_system.open(path, flags, mode);
    errno = EOPNOTSUPP;
    return -1;
}

static int faulty_fstat(int file, struct stat *about)
{
    return fails("fstat") ? -1 : spmmi_io_system.fstat(file, about);
}

static ssize_t faulty_read(int file, void *bytes, size_t size)
{
    return fails("read") ? -1 : spmmi_io_system.read(file, bytes, is_short_now() ? 1 : size);
}

static ssize_t faulty_pread(int file, void *bytes, size_t size, off_t at)
{
    return fails("pread") ? -1 : spmmi_io_system.pread(file, bytes, is_short_now() ? 1 : size, at);
}

static ssize_t faulty_write(int file, const void *bytes, size_t size)
{
    return fails("write") ? -1 : spmmi_io_system.write(file, bytes, is_short_now() ? 1 : size);
}

static int faulty_fsync(int file)
{
    return fails(is_renamed ? "late fsync" : "fsync") ? -1 : spmmi_io_system.fsync(file);
}

/* Like Linux, closes the file even if close reports an error. */
static int faulty_close(int file)
{
    const int result = fails(is_renamed ? "late close" : "close") ? -1 : 0;
    const int number = errno;
    (void)spmmi_io_system.close(file);
    errno = number;
    return result;
}

static int faulty_link(int file, const char *path)
{
    return fails("link") ? -1 : spmmi_io_system.link(file, path);
}

static int faulty_rename(const char *from, const char *to)
{
    if (fails("rename"))
        return -1;
    is_renamed = 1;
    return spmmi_io_system.rename(from, to);
}

static int faulty_unlink(const char *path)
{
    return fails("unlink") ? -1 : spmmi_io_system.unlink(path);
}

static const struct spmmi_io faulty = {faulty_open,  faulty_fstat, faulty_read, faulty_pread,  faulty_write,
                                       faulty_fsync, faulty_close, faulty_link, faulty_rename, faulty_unlink};

void io_faults_start(int64_t k, enum io_fault fault)
{
    fail_at = k;
    calls = 0;
    fault_now = fault;
    failed = NULL;
    is_renamed = is_named_only = 0;
    spmmi_io_set(&faulty);
}

void io_faults_named_only(void)
{
    is_named_only = 1;
}

int64_t io_faults_stop(const char **failed_call)
{
    spmmi_io_set(NULL);
    *failed_call = failed;
    return calls;
}
