/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks zstd data: one or more frames, decoded as a stream. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "container.h"
#include "format/base/diag.h"

#define SIZE_TRUSTED \
    (UINT64_C(64) << 20) /* a frame may claim any size; a claim of at most this size is trusted */

/* Returns the size that the first frame claims, if it is plausible, else 0. The codes of zstd for an unknown
 * size are larger than any plausible size. */
static uint64_t size_of_frame(const char *packed, uint64_t size)
{
    const unsigned long long said = ZSTD_getFrameContentSize(packed, size);
    return said <= SIZE_TRUSTED || said / 64 <= size ? said : 0;
}

static spmm_status_t unpack_fail(struct spmmi_reader *reader, size_t error, uint64_t unpacked)
{
    if (ZSTD_getErrorCode(error) == ZSTD_error_memory_allocation)
        return spmmi_reader_fail(reader, SPMM_ERR_MEMORY, 0, "out of memory while unpacking zstd data");
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                             "the zstd data is damaged after %llu bytes unpacked",
                             (unsigned long long)unpacked);
}

static void *budget_alloc(void *opaque, size_t bytes)
{
    return spmmi_unpack_alloc(opaque, bytes);
}

static void budget_free(void *opaque, void *memory)
{
    spmmi_unpack_free(opaque, memory);
}

spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    size_t left = 1; /* 0 at the end of a frame */
    ZSTD_inBuffer in = {packed, size, 0};
    struct spmmi_unpack_memory decoder = {reader, "zstd decoder"};
    const ZSTD_customMem memory = {budget_alloc, budget_free, &decoder};
    const uint64_t wanted = size_of_frame(packed, size);
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(memory);
    SPMM_TRY_ALLOC(context, reader->diag);
    for (;;) {
        SPMM_TRY(spmmi_unpack_room(reader, wanted, bytes));
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
