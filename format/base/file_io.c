/* SPDX-License-Identifier: Apache-2.0 */
/* See file_io.h. */
#include "file_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "each.h"

#define CHUNK_MAX (UINT64_C(1) << 30) /* bytes per call; Linux transfers less than 2 GiB per call */
#define PIECE (UINT64_C(4) << 20)     /* bytes that a thread reads at a time */

static int open_file(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

/* Links an open file to a name through /proc. linkat with AT_EMPTY_PATH would need privileges. */
static int link_file(int file, const char *path)
{
    char self[48];
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

const struct spmmi_io spmmi_io_system = {open_file, fstat, read,      pread,  write,
                                         fsync,     close, link_file, rename, unlink};

#ifdef SPMM_TEST_HOOKS
const struct spmmi_io *spmmi_io = &spmmi_io_system;

void spmmi_io_set(const struct spmmi_io *table)
{
    spmmi_io = table != NULL ? table : &spmmi_io_system;
}
#else
const struct spmmi_io *const spmmi_io = &spmmi_io_system;
#endif

int spmmi_open(const char *path, int flags, mode_t mode)
{
    int file = -1;
    do
        file = spmmi_io->open(path, flags, mode);
    while (file < 0 && errno == EINTR);
    return file;
}

int spmmi_sync(int file)
{
    int result = 0;
    do
        result = spmmi_io->fsync(file);
    while (result != 0 && errno == EINTR);
    return result;
}

int spmmi_close(int file)
{
    return spmmi_io->close(file) != 0 && errno != EINTR ? -1 : 0;
}

/* Returns the number of bytes that one call may transfer if `left` bytes remain. */
static size_t chunk_of(uint64_t left)
{
    return (size_t)(left < CHUNK_MAX ? left : CHUNK_MAX);
}

int64_t spmmi_read_up_to(int file, void *bytes, uint64_t size)
{
    uint64_t done = 0;
    while (done < size) {
        const ssize_t got = spmmi_io->read(file, (char *)bytes + done, chunk_of(size - done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (uint64_t)got;
    }
    return (int64_t)done;
}

spmm_status_t spmmi_read_all(int file, const char *path, uint8_t *bytes, uint64_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t got = spmmi_read_up_to(file, bytes, size);
    SPMM_REQUIRE_IO(got >= 0, diag, "read", path);
    SPMM_REQUIRE_AT((uint64_t)got == size, SPMM_ERR_PLAN_TRUNCATED, diag, (uint64_t)got,
                    "%s: the file became shorter while it was read", path);
cleanup:
    return status;
}

int spmmi_read_at(int file, void *bytes, uint64_t size, uint64_t at)
{
    uint64_t done = 0;
    while (done < size) {
        const ssize_t got =
            spmmi_io->pread(file, (char *)bytes + done, chunk_of(size - done), (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (uint64_t)got;
    }
    return done == size;
}

struct pieces {
    int file;
    uint8_t *bytes;
    uint64_t size, at;
};

static int is_piece_short(const void *context, uint64_t index, int thread)
{
    const struct pieces *p = context;
    const uint64_t begin = index * PIECE, left = p->size - begin;
    (void)thread;
    return !spmmi_read_at(p->file, p->bytes + begin, left < PIECE ? left : PIECE, p->at + begin);
}

int spmmi_read_at_on(int threads, int file, uint8_t *bytes, uint64_t size, uint64_t at)
{
    const struct pieces pieces = {file, bytes, size, at};
    const uint64_t count = size / PIECE + (size % PIECE != 0);
    return spmmi_first_wrong(count, threads, is_piece_short, &pieces) == count;
}

/* The parallel read leaves the position of the file unchanged. If it fails, the sequential read runs into the
 * same problem and reports it. */
spmm_status_t spmmi_read_all_on(int threads, int file, const char *path, uint8_t *bytes, uint64_t size,
                                uint64_t at, spmm_diag_t *diag)
{
    if (threads > 1 && spmmi_read_at_on(threads, file, bytes, size, at))
        return SPMM_OK;
    return spmmi_read_all(file, path, bytes, size, diag);
}

spmm_status_t spmmi_write_all(int file, const char *path, const void *bytes, uint64_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint64_t done = 0; done < size;) {
        const ssize_t put = spmmi_io->write(file, (const char *)bytes + done, chunk_of(size - done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = EIO; /* repeating a write of 0 bytes would never end */
        SPMM_REQUIRE_IO(put > 0, diag, "write", path);
        done += (uint64_t)put;
    }
cleanup:
    return status;
}
