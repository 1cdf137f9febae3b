/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks gzip data: one or more members, and nothing after the last one. */
#include <libdeflate.h>

#include "container.h"
#include "format/base/diag.h"

#define RATIO_MAX 1032u /* DEFLATE cannot expand data further */

/* Returns the size in the trailer, which is modulo 2^32; four times the input size if that is implausible. */
static uint64_t guess_size(const char *packed, uint64_t size)
{
    uint64_t guess = 0;
    for (int i = 0; i < 4; i++)
        guess |= (uint64_t)(unsigned char)packed[size - 4 + (uint64_t)i] << (8 * i);
    if (guess >= size / 2 && guess / RATIO_MAX <= size)
        return guess;
    return 4 * size;
}

/* Unpacks one member and appends it to `bytes`. *used is its length in the input. */
static spmm_status_t unpack_member(struct spmmi_reader *reader, struct libdeflate_decompressor *decompressor,
                                   const char *packed, uint64_t size, struct spmmi_bytes *bytes,
                                   uint64_t *used)
{
    spmm_status_t status = SPMM_OK;
    for (;;) {
        size_t in = 0;
        size_t out = 0;
        const enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor, packed, size, bytes->data + bytes->size, bytes->capacity - bytes->size, &in, &out);
        if (result == LIBDEFLATE_SUCCESS) {
            *used = in;
            bytes->size += out;
            break;
        }
        if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
            status = spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                                       "the gzip data is damaged or cut off after %llu bytes unpacked",
                                       (unsigned long long)bytes->size);
            goto cleanup;
        }
        SPMM_TRY(spmmi_bytes_reserve(reader, bytes, bytes->capacity * 2));
    }
cleanup:
    return status;
}

spmm_status_t spmmi_gunzip(struct spmmi_reader *reader, const char *packed, uint64_t size,
                           struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reader_ops *ops = NULL;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    SPMM_TRY_ALLOC(decompressor, reader->diag);
    SPMM_TRY(spmmi_bytes_reserve(reader, bytes, SPMMI_PREFIX_BYTES));
    /* First try with a small buffer, so that a file that is no matrix is refused before much memory is
     * allocated. Even if the buffer is too small, the decompressor has written the start of the file to
     * it. */
    bytes->data[0] = '\0';
    size_t in = 0;
    size_t out = 0;
    const enum libdeflate_result first =
        libdeflate_gzip_decompress_ex(decompressor, packed, size, bytes->data, bytes->capacity, &in, &out);
    if (first == LIBDEFLATE_INSUFFICIENT_SPACE && bytes->data[0] != '\0')
        SPMM_TRY(spmmi_reader_find(reader, bytes->data, SPMMI_PREFIX_BYTES / 2, false, &ops));
    if (first == LIBDEFLATE_INSUFFICIENT_SPACE)
        SPMM_TRY(spmmi_bytes_reserve(reader, bytes, guess_size(packed, size)));
    for (uint64_t position = 0; position < size;) {
        uint64_t used = 0;
        SPMM_TRY(unpack_member(reader, decompressor, packed + position, size - position, bytes, &used));
        position += used;
        spmmi_reader_progress(reader, "unpack", position, size);
    }
cleanup:
    libdeflate_free_decompressor(decompressor);
    return status;
}
