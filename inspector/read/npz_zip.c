/* SPDX-License-Identifier: Apache-2.0 */
/* See npz_zip.h. minizip reads the archive from memory. */
#include "npz_zip.h"

#include <minizip/unzip.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"

#define RATIO_MAX 1032u /* DEFLATE cannot expand data further */
#define RATIO_SLACK 64u
#define METHOD_STORED 0
#define METHOD_DEFLATED 8
#define FLAG_ENCRYPTED 1u

static voidpf memory_open(voidpf opaque, const void *name, int mode)
{
    (void)name;
    (void)mode; /* always for reading, as unzOpen2_64 supports nothing else */
    return opaque;
}

static uLong memory_read(voidpf opaque, voidpf stream, void *buffer, uLong size)
{
    struct spmmi_zip *memory = stream;
    (void)opaque;
    const uint64_t left = memory->size - memory->position;
    const uint64_t count = size < left ? size : left;
    if (count > 0)
        memcpy(buffer, memory->bytes + memory->position, count);
    memory->position += count;
    memory->is_short = memory->is_short || count < size;
    return (uLong)count;
}

static uLong memory_write(voidpf opaque, voidpf stream, const void *buffer, uLong size)
{
    (void)opaque;
    (void)stream;
    (void)buffer;
    (void)size;
    return 0;
}

static ZPOS64_T memory_tell(voidpf opaque, voidpf stream)
{
    const struct spmmi_zip *memory = stream;
    (void)opaque;
    return memory->position;
}

static long memory_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin)
{
    struct spmmi_zip *memory = stream;
    (void)opaque;
    const uint64_t base = origin == ZLIB_FILEFUNC_SEEK_END   ? memory->size
                          : origin == ZLIB_FILEFUNC_SEEK_CUR ? memory->position
                                                             : 0;
    if (offset > memory->size - base)
        return -1;
    memory->position = base + offset;
    return 0;
}

static int memory_close(voidpf opaque, voidpf stream)
{
    (void)opaque;
    (void)stream;
    return 0;
}

static int memory_error(voidpf opaque, voidpf stream)
{
    const struct spmmi_zip *memory = stream;
    (void)opaque;
    return memory->is_short;
}

spmm_status_t spmmi_zip_open(struct spmmi_reader *reader, const char *bytes, uint64_t size,
                             struct spmmi_zip *zip)
{
    spmm_status_t status = SPMM_OK;
    zlib_filefunc64_def functions = {memory_open, memory_read,  memory_write, memory_tell,
                                     memory_seek, memory_close, memory_error, zip};
    zip->reader = reader;
    zip->bytes = bytes;
    zip->size = size;
    SPMM_TRY(spmmi_reader_alloc(reader, "unpacked bytes", SPMMI_ZIP_BLOCK, 1, &zip->block));
    zip->archive = unzOpen2_64("", &functions);
    if (zip->archive == NULL)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                                   "expected a zip archive, found one without its directory; is it cut off?");
cleanup:
    return status;
}

void spmmi_zip_close(struct spmmi_zip *zip)
{
    if (zip->archive != NULL)
        (void)unzClose(zip->archive);
    spmmi_reader_free(zip->reader, zip->block, SPMMI_ZIP_BLOCK, 1);
    memset(zip, 0, sizeof *zip);
}

spmm_status_t spmmi_zip_fail(struct spmmi_zip *zip, spmm_status_t status, const char *format, ...)
{
    char sentence[sizeof((spmm_diag_t *)0)->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return spmmi_reader_fail(zip->reader, status, 0, "member %s: %s", zip->member, sentence);
}

bool spmmi_zip_has(struct spmmi_zip *zip, const char *member)
{
    return unzLocateFile(zip->archive, member, 1) == UNZ_OK;
}

static spmm_status_t check_member(struct spmmi_zip *zip, const unz_file_info64 *info)
{
    if ((info->flag & FLAG_ENCRYPTED) != 0)
        return spmmi_zip_fail(zip, SPMM_ERR_MATRIX_UNSUPPORTED, "it is encrypted, which spmm does not read");
    if (info->compression_method != METHOD_STORED && info->compression_method != METHOD_DEFLATED)
        return spmmi_zip_fail(zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "expected stored or deflated bytes, found compression method %lu",
                              info->compression_method);
    const bool possible = info->compression_method == METHOD_STORED
                              ? info->uncompressed_size == info->compressed_size
                              : info->uncompressed_size / RATIO_MAX <= info->compressed_size + RATIO_SLACK;
    if (!possible)
        return spmmi_zip_fail(
            zip, SPMM_ERR_MATRIX_CONTAINER, "expected a size that %llu packed bytes can hold, found %llu",
            (unsigned long long)info->compressed_size, (unsigned long long)info->uncompressed_size);
    return SPMM_OK;
}

spmm_status_t spmmi_zip_enter(struct spmmi_zip *zip, const char *member)
{
    spmm_status_t status = SPMM_OK;
    unz_file_info64 info;
    zip->member = member;
    zip->block_at = zip->block_size = 0;
    if (!spmmi_zip_has(zip, member)) {
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX,
                                "expected it in the archive, found none of this name");
        goto cleanup;
    }
    if (unzGetCurrentFileInfo64(zip->archive, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK) {
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_CONTAINER, "its entry in the directory is damaged");
        goto cleanup;
    }
    SPMM_TRY(check_member(zip, &info));
    zip->left = info.uncompressed_size;
    if (unzOpenCurrentFile(zip->archive) != UNZ_OK)
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_CONTAINER, "its header is damaged");
cleanup:
    return status;
}

/* Moves the unread bytes to the start of the block, and unpacks as many bytes after them as fit. */
static spmm_status_t fill_block(struct spmmi_zip *zip)
{
    if (zip->block_at > 0)
        memmove(zip->block, zip->block + zip->block_at, zip->block_size - zip->block_at);
    zip->block_size -= zip->block_at;
    zip->block_at = 0;
    const uint64_t packed = zip->left - zip->block_size;
    const unsigned room = SPMMI_ZIP_BLOCK - zip->block_size;
    const unsigned wanted = packed < room ? (unsigned)packed : room;
    const int got = unzReadCurrentFile(zip->archive, zip->block + zip->block_size, wanted);
    if (got < 0 || (unsigned)got != wanted)
        return spmmi_zip_fail(zip, SPMM_ERR_MATRIX_CONTAINER, "its packed bytes are damaged or cut off");
    zip->block_size += wanted;
    return SPMM_OK;
}

spmm_status_t spmmi_zip_next(struct spmmi_zip *zip, unsigned size, const unsigned char **bytes)
{
    spmm_status_t status = SPMM_OK;
    if (size > zip->left)
        return spmmi_zip_fail(zip, SPMM_ERR_MATRIX_SYNTAX, "expected %u more bytes, found the end after %llu",
                              size, (unsigned long long)zip->left);
    if (size > zip->block_size - zip->block_at)
        SPMM_TRY(fill_block(zip));
    *bytes = zip->block + zip->block_at;
    zip->block_at += size;
    zip->left -= size;
cleanup:
    return status;
}

spmm_status_t spmmi_zip_leave(struct spmmi_zip *zip)
{
    if (unzCloseCurrentFile(zip->archive) != UNZ_OK)
        return spmmi_zip_fail(zip, SPMM_ERR_MATRIX_CONTAINER, "its bytes do not match its checksum");
    return SPMM_OK;
}
