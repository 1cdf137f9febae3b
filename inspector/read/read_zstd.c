/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks zstd: one or more frames, unpacked as a stream. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "format/base/diag.h"
#include "reader.h"

#define SIZE_TRUSTED \
    (UINT64_C(64) << 20) /* a frame may claim any size; more than this is taken as it comes */

/* Room for more bytes: what the first frame says if that is plausible, then doubling. */
static spmm_status_t grow(struct spmmi_reader *reader, const char *packed, uint64_t size,
                          struct spmmi_bytes *bytes)
{
    if (bytes->capacity == 0)
        return spmmi_bytes_reserve(reader, bytes, SPMMI_PREFIX_BYTES);
    const unsigned long long said = ZSTD_getFrameContentSize(packed, size);
    /* What zstd answers when it knows no size is beyond any plausible one. */
    const bool plausible = said > bytes->capacity && (said <= SIZE_TRUSTED || said / 64 <= size);
    return spmmi_bytes_reserve(reader, bytes, plausible ? said : bytes->capacity * 2);
}

static spmm_status_t unpack_fail(struct spmmi_reader *reader, size_t error, uint64_t unpacked)
{
    if (ZSTD_getErrorCode(error) == ZSTD_error_memory_allocation)
        return spmmi_reader_fail(reader, SPMM_ERR_MEMORY, 0, "out of memory while unpacking zstd data");
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                             "the zstd data is damaged after %llu bytes unpacked",
                             (unsigned long long)unpacked);
}

/* What the decoder allocates, its window above all, counts against the budget as well: a file of 11 bytes can ask for
 * 128 MiB. Each block begins with its size. */
#define BLOCK_HEAD 64 /* bytes, which keep the alignment */

static void *budget_alloc(void *opaque, size_t bytes)
{
    char *block = NULL;
    const uint64_t size = (uint64_t)bytes + BLOCK_HEAD;
    if (spmmi_reader_alloc(opaque, "zstd decoder", size, 1, &block) != SPMM_OK)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + BLOCK_HEAD;
}

static void budget_free(void *opaque, void *memory)
{
    uint64_t size = 0;
    char *block = (char *)memory - BLOCK_HEAD;
    memcpy(&size, block, sizeof size);
    spmmi_reader_free(opaque, block, size, 1);
}

spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reader_ops *ops = NULL;
    bool checked = false;
    size_t left = 1; /* 0 when a frame has ended */
    ZSTD_inBuffer in = {packed, size, 0};
    const ZSTD_customMem memory = {budget_alloc, budget_free, reader};
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(memory);
    SPMM_TRY_ALLOC(context, reader->diag);
    for (;;) {
        if (bytes->size == bytes->capacity) {
            if (!checked && bytes->size > 0)
                SPMM_TRY(spmmi_reader_find(reader, bytes->data, bytes->size, false, &ops));
            checked = bytes->size > 0;
            SPMM_TRY(grow(reader, packed, size, bytes));
        }
        ZSTD_outBuffer out = {bytes->data, bytes->capacity, bytes->size};
        left = ZSTD_decompressStream(context, &out, &in);
        bytes->size = out.pos;
        if (ZSTD_isError(left)) {
            status = unpack_fail(reader, left, bytes->size);
            goto cleanup;
        }
        spmmi_reader_progress(reader, "unpack", in.pos, size);
        if (in.pos == size && (left == 0 || bytes->size < bytes->capacity))
            break;
    }
    if (left != 0)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                                   "the zstd data is cut off after %llu bytes unpacked",
                                   (unsigned long long)bytes->size);
cleanup:
    ZSTD_freeDCtx(context);
    return status;
}
