/* SPDX-License-Identifier: Apache-2.0 */
/* Plans in files. A reader takes a private copy of the file before it looks at it. A writer fills a temporary
 * file in the same folder and renames it, so the final name only ever leads to a whole plan. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/random.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "plan_header.h"
#include "plan_io.h"
#include "plan_read.h"
#include "plan_write.h"

#define NAME_TRIES 16
#define CHUNK_MAX (UINT64_C(1) << 30) /* Linux moves at most 2 GiB a call */

static int open_file(const char *path, int flags, mode_t mode)
{
    return open(path, flags, mode);
}

const struct spmmi_io spmmi_io_system = {open_file, fstat, read, write, fsync, close, rename, unlink};

#ifdef SPMM_TEST_HOOKS
static const struct spmmi_io *io = &spmmi_io_system;

void spmmi_io_set(const struct spmmi_io *table)
{
    io = table != NULL ? table : &spmmi_io_system;
}
#else
static const struct spmmi_io *const io = &spmmi_io_system;
#endif

#define REQUIRE_IO(condition, diag, verb, path)                                                             \
    do {                                                                                                    \
        if (!(condition))                                                                                   \
            SPMM_FAIL_AT(SPMM_ERR_IO, diag, ((struct spmmi_where){0, 0, errno}), "%s: cannot %s: %s", path, \
                         verb, strerror(errno));                                                            \
    } while (0)

static int open_again(const char *path, int flags, mode_t mode)
{
    int file = -1;
    do
        file = io->open(path, flags, mode);
    while (file < 0 && errno == EINTR);
    return file;
}

static int sync_again(int file)
{
    int result = 0;
    do
        result = io->fsync(file);
    while (result != 0 && errno == EINTR);
    return result;
}

/* On Linux the file is closed even when a signal came in between. */
static int close_once(int file)
{
    return io->close(file) != 0 && errno != EINTR ? -1 : 0;
}

/* How much of what is left one call may move. */
static size_t chunk_of(uint64_t left)
{
    return (size_t)(left < CHUNK_MAX ? left : CHUNK_MAX);
}

/* Reads exactly size bytes; an early end counts as an I/O error, because fstat has told the size. */
static spmm_status_t read_all(int file, const char *path, uint8_t *bytes, uint64_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint64_t done = 0; done < size;) {
        const ssize_t got = io->read(file, bytes + done, chunk_of(size - done));
        if (got < 0 && errno == EINTR)
            continue;
        REQUIRE_IO(got >= 0, diag, "read", path);
        SPMM_REQUIRE_AT(got > 0, SPMM_ERR_PLAN_TRUNCATED, diag, done,
                        "%s: the file became shorter while it was read", path);
        done += (uint64_t)got;
    }
cleanup:
    return status;
}

/* Opens a regular file without waiting on a pipe or a device of the same name. */
static spmm_status_t open_plan(const char *path, int *file, uint64_t *size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct stat about;
    *file = open_again(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    REQUIRE_IO(*file >= 0, diag, "open", path);
    REQUIRE_IO(io->fstat(*file, &about) == 0, diag, "ask the size of", path);
    SPMM_REQUIRE(S_ISREG(about.st_mode), SPMM_ERR_IO, diag, "%s: not a regular file", path);
    *size = (uint64_t)about.st_size;
cleanup:
    return status;
}

/* The header alone decides whether the file may be read into memory. */
static spmm_status_t read_plan(int file, const char *path, uint64_t size, struct spmmi_load *load,
                               spmm_plan_t **plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *bytes = NULL;
    uint8_t head[SPMMI_HEADER_BYTES] = {0};
    const uint64_t head_bytes = size < sizeof head ? size : sizeof head;
    struct spmmi_header header;
    SPMM_TRY(read_all(file, path, head, head_bytes, diag));
    SPMM_TRY(spmmi_header_read(head, size, &header, diag));
    const uint64_t budget = load->budget_bytes != 0 ? load->budget_bytes : spmmi_budget_default(&header);
    SPMM_REQUIRE(size <= budget, SPMM_ERR_PLAN_BUDGET, diag, "the file takes %llu bytes, %llu are allowed",
                 (unsigned long long)size, (unsigned long long)budget);
    bytes = spmmi_alloc(size, 1);
    SPMM_TRY_ALLOC(bytes, diag);
    memcpy(bytes, head, head_bytes);
    SPMM_TRY(read_all(file, path, bytes + head_bytes, size - head_bytes, diag));
    load->held_bytes = size;
    SPMM_TRY(spmmi_plan_decode(bytes, size, load, plan, diag));
cleanup:
    spmmi_free(bytes);
    return status;
}

spmm_status_t spmm_plan_load(const char *path, const spmm_load_options_t *options, spmm_plan_t **plan,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_load load;
    uint64_t size = 0;
    int file = -1;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    *plan = NULL;
    SPMM_REQUIRE(path != NULL, SPMM_ERR_ARGUMENT, diag, "path is NULL");
    SPMM_TRY(spmmi_load_check(options, &load, diag));
    load.name = path;
    SPMM_TRY(open_plan(path, &file, &size, diag));
    SPMM_TRY(read_plan(file, path, size, &load, plan, diag));
cleanup:
    if (file >= 0)
        (void)close_once(file);
    return status;
}

static spmm_status_t write_all(int file, const char *path, const uint8_t *bytes, uint64_t size,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint64_t done = 0; done < size;) {
        const ssize_t put = io->write(file, bytes + done, chunk_of(size - done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = EIO; /* a regular file that takes nothing would be tried for ever */
        REQUIRE_IO(put > 0, diag, "write", path);
        done += (uint64_t)put;
    }
cleanup:
    return status;
}

/* Where a plan is written first: FOLDER/.NAME.XXXXXXXXXXXXXXXX.spmm-tmp. */
struct target {
    char *folder, *temporary; /* owned */
    const char *name;         /* last part of the path */
    size_t temporary_room;
};

static spmm_status_t target_init(struct target *t, const char *path, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const char *slash = strrchr(path, '/');
    const size_t folder_bytes = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    t->name = path + folder_bytes;
    SPMM_REQUIRE(t->name[0] != '\0', SPMM_ERR_ARGUMENT, diag, "%s: not the name of a file", path);
    t->folder = spmmi_alloc(folder_bytes + 2, 1);
    t->temporary_room = strlen(path) + sizeof ".." + 16 + sizeof ".spmm-tmp";
    t->temporary = spmmi_alloc(t->temporary_room, 1);
    SPMM_TRY_ALLOC(t->folder, diag);
    SPMM_TRY_ALLOC(t->temporary, diag);
    memcpy(t->folder, slash == NULL ? "./" : path, folder_bytes == 0 ? 2 : folder_bytes);
    t->folder[folder_bytes == 0 ? 2 : folder_bytes] = '\0';
cleanup:
    return status;
}

/* Creates a temporary file that nobody else has. */
static spmm_status_t create_temporary(const struct target *t, int *file, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int tries = 0; tries < NAME_TRIES && *file < 0; tries++) {
        uint64_t number = 0;
        REQUIRE_IO(getrandom(&number, sizeof number, 0) == (ssize_t)sizeof number, diag, "draw a name for",
                   t->folder);
        (void)snprintf(t->temporary, t->temporary_room, "%s.%s.%016llx.spmm-tmp", t->folder, t->name,
                       (unsigned long long)number);
        *file = open_again(t->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*file < 0 && errno != EEXIST)
            break;
    }
    REQUIRE_IO(*file >= 0, diag, "create", t->temporary);
cleanup:
    return status;
}

/* A folder on a file system that cannot be synchronised says EINVAL; there is nothing more to do then. */
static spmm_status_t sync_folder(int folder, const char *path, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    REQUIRE_IO(sync_again(folder) == 0 || errno == EINVAL, diag, "synchronise", path);
cleanup:
    return status;
}

static spmm_status_t save_bytes(const char *path, const uint8_t *bytes, uint64_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct target t = {NULL, NULL, NULL, 0};
    int file = -1, folder = -1, is_temporary = 0;
    SPMM_TRY(target_init(&t, path, diag));
    /* Opened first: when the folder cannot be synchronised later, nothing has been written yet. */
    folder = open_again(t.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    REQUIRE_IO(folder >= 0, diag, "open", t.folder);
    SPMM_TRY(create_temporary(&t, &file, diag));
    is_temporary = 1;
    SPMM_TRY(write_all(file, t.temporary, bytes, size, diag));
    REQUIRE_IO(sync_again(file) == 0, diag, "synchronise", t.temporary);
    const int closing = file;
    file = -1;
    REQUIRE_IO(close_once(closing) == 0, diag, "close", t.temporary);
    REQUIRE_IO(io->rename(t.temporary, path) == 0, diag, "rename to", path);
    is_temporary = 0;
    SPMM_TRY(sync_folder(folder, t.folder, diag));
cleanup:
    if (file >= 0)
        (void)close_once(file);
    if (is_temporary)
        (void)io->unlink(t.temporary);
    if (folder >= 0)
        (void)close_once(folder);
    spmmi_free(t.temporary);
    spmmi_free(t.folder);
    return status;
}

spmm_status_t spmm_plan_save(const spmm_plan_t *plan, const char *path, const spmm_save_options_t *options,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint8_t *bytes = NULL;
    uint64_t size = 0;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL && path != NULL, SPMM_ERR_ARGUMENT, diag, "plan or path is NULL");
    SPMM_TRY(spmmi_plan_encode(plan, options, &bytes, &size, diag));
    SPMM_TRY(save_bytes(path, bytes, size, diag));
cleanup:
    spmmi_free(bytes);
    return status;
}
