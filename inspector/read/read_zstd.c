/* SPDX-License-Identifier: Apache-2.0 */
/* zstd to text: one or more frames, unpacked as a stream. */
#include <zstd.h>

#include "format/base/diag.h"
#include "reader.h"

#define SIZE_TRUSTED \
    (UINT64_C(64) << 20) /* a frame may claim any size; more than this is taken as it comes */

/* Room for more text: what the first frame says if that is plausible, then doubling. */
static spmm_status_t grow(struct spmmi_reader *reader, const char *packed, uint64_t size,
                          struct spmmi_bytes *text)
{
    if (text->capacity == 0)
        return spmmi_bytes_reserve(reader, text, SPMMI_PREFIX_BYTES);
    const unsigned long long said = ZSTD_getFrameContentSize(packed, size);
    const bool plausible = said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR &&
                           said > text->capacity && (said <= SIZE_TRUSTED || said / 64 <= size);
    return spmmi_bytes_reserve(reader, text, plausible ? said : text->capacity * 2);
}

spmm_status_t spmmi_unzstd(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *text)
{
    spmm_status_t status = SPMM_OK;
    bool checked = false;
    size_t left = 1; /* 0 when a frame has ended */
    ZSTD_inBuffer in = {packed, size, 0};
    ZSTD_DCtx *context = ZSTD_createDCtx();
    SPMM_TRY_ALLOC(context, reader->diag);
    for (;;) {
        if (text->size == text->capacity) {
            if (!checked && text->size > 0)
                SPMM_TRY(spmmi_check_start(reader, text->data, text->size, false));
            checked = text->size > 0;
            SPMM_TRY(grow(reader, packed, size, text));
        }
        ZSTD_outBuffer out = {text->data, text->capacity, text->size};
        left = ZSTD_decompressStream(context, &out, &in);
        text->size = out.pos;
        if (ZSTD_isError(left)) {
            status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                                       "the zstd data is damaged after %llu bytes of text",
                                       (unsigned long long)text->size);
            goto cleanup;
        }
        spmmi_reader_progress(reader, "unpack", in.pos, size);
        if (in.pos == size && (left == 0 || text->size < text->capacity))
            break;
    }
    if (left != 0)
        status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                                   "the zstd data is cut off after %llu bytes of text",
                                   (unsigned long long)text->size);
cleanup:
    ZSTD_freeDCtx(context);
    return status;
}
