/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks xz data: one or more streams, with the padding between and after them that the format allows. */
#include <lzma.h>

#include "container.h"
#include "format/base/diag.h"

static void *budget_alloc(void *opaque, size_t count, size_t size)
{
    return spmmi_unpack_alloc(opaque, count * size); /* liblzma documents that count is 1 */
}

static void budget_free(void *opaque, void *memory)
{
    spmmi_unpack_free(opaque, memory);
}

static spmm_status_t unpack_fail(struct spmmi_reader *reader, lzma_ret result, uint64_t unpacked)
{
    if (result == LZMA_MEM_ERROR)
        return spmmi_reader_fail(reader, SPMM_ERR_MEMORY, 0, "out of memory while unpacking xz data");
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                             "the xz data is damaged or cut off after %llu bytes unpacked",
                             (unsigned long long)unpacked);
}

spmm_status_t spmmi_unxz(struct spmmi_reader *reader, const char *packed, uint64_t size,
                         struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_unpack_memory memory = {reader, "xz decoder"};
    const lzma_allocator allocator = {budget_alloc, budget_free, &memory};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &allocator;
    stream.next_in = (const uint8_t *)packed;
    stream.avail_in = size;
    lzma_ret result = lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED);
    while (result == LZMA_OK) {
        SPMM_TRY(spmmi_unpack_room(reader, 0, bytes));
        stream.next_out = (uint8_t *)bytes->data + bytes->size;
        stream.avail_out = bytes->capacity - bytes->size;
        result = lzma_code(&stream, LZMA_FINISH);
        bytes->size = bytes->capacity - stream.avail_out;
        spmmi_reader_progress(reader, "unpack", stream.total_in, size);
    }
    if (result != LZMA_STREAM_END)
        status = unpack_fail(reader, result, bytes->size);
cleanup:
    lzma_end(&stream);
    return status;
}
