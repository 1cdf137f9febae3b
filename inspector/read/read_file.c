/* SPDX-License-Identifier: Apache-2.0 */
/* Reads matrices from files, standard input and memory: gets the bytes, unpacks them, and calls the reader of
 * their format.
 *
 * A file is copied into memory and never mapped, because it may change while it is read, and both passes over
 * the text must see the same bytes. */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "container.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/file_io.h"
#include "format/base/options.h"
#include "format/base/team.h"
#include "format/plan.h"
#include "reader.h"

#define READ_BLOCK (UINT64_C(4) << 20) /* bytes per pread */
#define LABEL_PATH_BYTES 80
#define LABEL_BASE_BYTES 48
#define STREAM_MAX (UINT64_C(64) << 30) /* maximum number of bytes that are read from a pipe or a device */

/* Sets the label to the path, or to the base name if the path is too long for a message. */
static void set_label(struct spmmi_reader *reader, const char *path, const char *base)
{
    const char *shown = strlen(path) < LABEL_PATH_BYTES ? path : base;
    spmmi_escape(shown, strlen(shown), reader->label,
                 shown == path ? sizeof reader->label : LABEL_BASE_BYTES);
}

static void set_name(struct spmmi_reader *reader, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const size_t length = spmmi_container_name_length(base);
    set_label(reader, path, base);
    (void)snprintf(reader->name, sizeof reader->name, "%s", base);
    const size_t kept = length < sizeof reader->file ? length : sizeof reader->file - 1;
    memcpy(reader->file, base + length - kept, kept);
}

static spmm_status_t reader_init(struct spmmi_reader *reader, const char *name,
                                 const spmm_read_options_t *given, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(&options, sizeof options, given, "read options", diag));
    SPMM_REQUIRE(options.threads >= 0, SPMM_ERR_ARGUMENT, diag, "expected threads of at least 0, found %d",
                 options.threads);
    SPMM_REQUIRE((unsigned)options.complex_part <= SPMM_COMPLEX_ABS, SPMM_ERR_ARGUMENT, diag,
                 "expected complex_part from 0 to %d, found %d", SPMM_COMPLEX_ABS, (int)options.complex_part);
    SPMM_REQUIRE((unsigned)options.index_base <= SPMM_INDEX_BASE_1, SPMM_ERR_ARGUMENT, diag,
                 "expected index_base from 0 to %d, found %d", SPMM_INDEX_BASE_1, (int)options.index_base);
    SPMM_REQUIRE(options.vertices >= 0 && options.vertices <= SPMMI_DIM_MAX, SPMM_ERR_ARGUMENT, diag,
                 "expected vertices from 0 to %lld, found %lld", (long long)SPMMI_DIM_MAX,
                 (long long)options.vertices);
    memset(reader, 0, sizeof *reader);
    set_name(reader, name);
    reader->threads = options.threads > 0 ? options.threads : omp_get_max_threads();
    reader->threads = reader->threads < SPMMI_SEGMENT_MAX ? reader->threads : SPMMI_SEGMENT_MAX;
    reader->drop_zeros = options.drop_zeros != 0;
    reader->complex_part = options.complex_part;
    reader->index_base = options.index_base;
    reader->vertices = options.vertices;
    reader->variable = options.variable;
    reader->budget = options.budget_bytes != 0 ? options.budget_bytes : UINT64_MAX;
    reader->progress = options.progress;
    reader->progress_context = options.progress_context;
    reader->diag = diag;
cleanup:
    return status;
}

/* Reads a matrix from unpacked bytes. */
static spmm_status_t read_plain(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                spmm_matrix_t **matrix)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reader_ops *ops = NULL;
    spmm_matrix_t *m = NULL;
    SPMM_TRY(spmmi_reader_find(reader, bytes, size, true, &ops));
    m = spmmi_alloc_zero(1, sizeof *m);
    SPMM_TRY_ALLOC(m, reader->diag);
    memcpy(m->info.name, reader->name, sizeof m->info.name);
    (void)snprintf(m->info.format, sizeof m->info.format, "%s", ops->format);
    status = ops->read(reader, bytes, size, m);
    spmmi_reader_add_format(reader, status, ops->name);
    SPMM_TRY(status);
    SPMM_TRY(spmmi_canonicalise(reader, m));
    *matrix = m;
    m = NULL;
cleanup:
    spmm_matrix_destroy(m);
    return status;
}

/* Refuses a file early if no reader accepts its first bytes. */
static spmm_status_t check_start(struct spmmi_reader *reader, const struct spmmi_bytes *bytes, uint64_t size,
                                 bool is_all)
{
    const struct spmmi_reader_ops *ops = NULL;
    return spmmi_container_of(bytes->data, size) != NULL
               ? SPMM_OK
               : spmmi_reader_find(reader, bytes->data, size, is_all, &ops);
}

/* Reads a matrix from the bytes of a whole file, compressed or not. If owned is not NULL, it holds the bytes
 * and is freed as soon as they are unpacked. */
static spmm_status_t read_bytes(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                                struct spmmi_bytes *owned, spmm_matrix_t **matrix)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_bytes unpacked = {NULL, 0, 0};
    const struct spmmi_container *container = spmmi_container_of(bytes, size);
    if (container == NULL)
        return read_plain(reader, bytes, size, matrix);
    SPMM_TRY(container->unpack(reader, bytes, size, &unpacked));
    if (owned != NULL)
        spmmi_bytes_free(reader, owned);
    SPMM_TRY(read_plain(reader, unpacked.data, unpacked.size, matrix));
cleanup:
    spmmi_bytes_free(reader, &unpacked);
    return status;
}

static spmm_status_t io_failed(struct spmmi_reader *reader, int error, const char *what)
{
    return spmmi_diag_set(reader->diag, SPMM_ERR_IO, (struct spmmi_where){0, 0, error}, "%s: %s: %s",
                          reader->label, what, strerror(error));
}

/* Fills buffer[0 .. size) from fd at offset. Returns 0, an errno value, or -1 if the file is too short. */
static int read_block(int fd, char *buffer, uint64_t size, uint64_t offset)
{
    for (uint64_t done = 0; done < size;) {
        const ssize_t got = pread(fd, buffer + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno != EINTR)
            return errno;
        if (got == 0)
            return -1;
        done += got > 0 ? (uint64_t)got : 0;
    }
    return 0;
}

/* Reads a file of known size in blocks, with several threads. */
static spmm_status_t read_regular(struct spmmi_reader *reader, int fd, uint64_t size,
                                  struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    int error = 0;
    const uint64_t prefix = size < SPMMI_PREFIX_BYTES ? size : SPMMI_PREFIX_BYTES;
    SPMM_TRY(spmmi_bytes_reserve(reader, bytes, prefix));
    error = read_block(fd, bytes->data, prefix, 0);
    if (error == 0)
        SPMM_TRY(check_start(reader, bytes, prefix, prefix == size));
    SPMM_TRY(spmmi_bytes_reserve(reader, bytes, size));
    const int64_t blocks = (int64_t)((size + READ_BLOCK - 1) / READ_BLOCK);
    uint64_t done = 0;
    /* Blocks after an error are still read. Only the calling thread reports progress. */
#pragma omp parallel for schedule(dynamic, 1) \
    num_threads(spmmi_team(blocks < reader->threads ? (int)blocks : reader->threads))
    for (int64_t block = 0; block < blocks; block++) {
        const uint64_t offset = (uint64_t)block * READ_BLOCK;
        const uint64_t length = size - offset < READ_BLOCK ? size - offset : READ_BLOCK;
        const int result = read_block(fd, bytes->data + offset, length, offset);
        uint64_t so_far = 0;
        if (result != 0) {
#pragma omp atomic write
            error = result;
        }
#pragma omp atomic capture
        so_far = done += length;
        if (omp_get_thread_num() == 0)
            spmmi_reader_progress(reader, "read", so_far, size);
    }
    bytes->size = size;
    if (error > 0)
        status = io_failed(reader, error, "cannot read the file");
    else if (error < 0)
        status = spmmi_reader_fail(reader, SPMM_ERR_IO, 0, "the file became shorter while it was read");
cleanup:
    return status;
}

/* Reads a pipe or a device, whose size is unknown until its end. */
static spmm_status_t read_stream(struct spmmi_reader *reader, int fd, struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    bool checked = false;
    SPMM_TRY(spmmi_bytes_reserve(reader, bytes, SPMMI_PREFIX_BYTES));
    for (;;) {
        const ssize_t got = read(fd, bytes->data + bytes->size, bytes->capacity - bytes->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = io_failed(reader, errno, "cannot read the file");
            goto cleanup;
        }
        if (got == 0)
            break;
        bytes->size += (uint64_t)got;
        spmmi_reader_progress(reader, "read", bytes->size, 0);
        if (bytes->size < bytes->capacity)
            continue;
        if (!checked)
            SPMM_TRY(check_start(reader, bytes, bytes->size, false));
        checked = true;
        SPMM_REQUIRE(bytes->size < STREAM_MAX, SPMM_ERR_MATRIX_TOO_LARGE, reader->diag,
                     "%s: expected at most %llu bytes from a stream, found more", reader->label,
                     (unsigned long long)STREAM_MAX);
        SPMM_TRY(spmmi_bytes_reserve(reader, bytes, bytes->capacity * 2));
    }
cleanup:
    return status;
}

static spmm_status_t read_descriptor(struct spmmi_reader *reader, int fd, struct spmmi_bytes *bytes)
{
    struct stat about;
    if (fstat(fd, &about) != 0)
        return io_failed(reader, errno, "cannot look at the file");
    if (S_ISDIR(about.st_mode))
        return io_failed(reader, EISDIR, "cannot read the file");
    /* Virtual files of the operating system have size 0. Standard input may be a file that has been read in
     * part. */
    if (S_ISREG(about.st_mode) && about.st_size > 0 && fd != STDIN_FILENO)
        return read_regular(reader, fd, (uint64_t)about.st_size, bytes);
    return read_stream(reader, fd, bytes);
}

spmm_status_t spmm_matrix_load(const char *path, const spmm_read_options_t *options, spmm_matrix_t **matrix,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader reader;
    struct spmmi_bytes bytes = {NULL, 0, 0};
    const bool is_stdin = path != NULL && strcmp(path, "-") == 0;
    int fd = -1;
    spmmi_diag_clear(diag);
    memset(&reader, 0, sizeof reader);
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    *matrix = NULL;
    SPMM_REQUIRE(path != NULL, SPMM_ERR_ARGUMENT, diag, "path is NULL");
    SPMM_TRY(reader_init(&reader, is_stdin ? "standard input" : path, options, diag));
    fd = is_stdin ? STDIN_FILENO : spmmi_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        status = io_failed(&reader, errno, "cannot open the file");
        goto cleanup;
    }
    SPMM_TRY(read_descriptor(&reader, fd, &bytes));
    SPMM_TRY(read_bytes(&reader, bytes.data, bytes.size, &bytes, matrix));
cleanup:
    if (fd >= 0 && !is_stdin)
        (void)close(fd);
    spmmi_bytes_free(&reader, &bytes);
    return status;
}

spmm_status_t spmm_matrix_read(const void *bytes, size_t size, const char *name,
                               const spmm_read_options_t *options, spmm_matrix_t **matrix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_reader reader;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(matrix != NULL, SPMM_ERR_ARGUMENT, diag, "matrix is NULL");
    *matrix = NULL;
    SPMM_REQUIRE(bytes != NULL || size == 0, SPMM_ERR_ARGUMENT, diag, "bytes is NULL");
    SPMM_TRY(reader_init(&reader, name != NULL ? name : "matrix", options, diag));
    SPMM_TRY(read_bytes(&reader, bytes != NULL ? bytes : "", size, NULL, matrix));
cleanup:
    return status;
}
