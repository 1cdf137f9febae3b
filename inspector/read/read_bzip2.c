/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks bzip2 data: one or more streams, and nothing after the last one. */
#include <bzlib.h>

#include "container.h"
#include "format/base/diag.h"

#define PIECE_MAX (UINT64_C(1) << 30) /* libbz2 counts bytes in 32 bits */

static void *budget_alloc(void *opaque, int count, int size)
{
    return spmmi_unpack_alloc(opaque, (uint64_t)(unsigned)count * (unsigned)size);
}

static void budget_free(void *opaque, void *memory)
{
    spmmi_unpack_free(opaque, memory);
}

static spmm_status_t unpack_fail(struct spmmi_reader *reader, int result, uint64_t unpacked)
{
    if (result == BZ_MEM_ERROR)
        return spmmi_reader_fail(reader, SPMM_ERR_MEMORY, 0, "out of memory while unpacking bzip2 data");
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_CONTAINER, 0,
                             "the bzip2 data is %s after %llu bytes unpacked",
                             result == BZ_OK ? "cut off" : "damaged", (unsigned long long)unpacked);
}

static unsigned piece_of(uint64_t size)
{
    return (unsigned)(size < PIECE_MAX ? size : PIECE_MAX);
}

/* Unpacks one stream and appends it to `bytes`. *used is its length in the input. */
static spmm_status_t unpack_stream(struct spmmi_reader *reader, const char *packed, uint64_t size,
                                   struct spmmi_bytes *bytes, uint64_t *used)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_unpack_memory memory = {reader, "bzip2 decoder"};
    bz_stream stream = {.bzalloc = budget_alloc, .bzfree = budget_free, .opaque = &memory};
    bool is_stuck = false;
    *used = 0;
    int result = BZ2_bzDecompressInit(&stream, 0, 0);
    while (result == BZ_OK && !is_stuck) {
        SPMM_TRY(spmmi_unpack_room(reader, 0, bytes));
        const unsigned in = piece_of(size - *used);
        const unsigned room = piece_of(bytes->capacity - bytes->size);
        stream.next_in = (char *)(uintptr_t)(packed + *used); /* libbz2 only reads the input */
        stream.avail_in = in;
        stream.next_out = bytes->data + bytes->size;
        stream.avail_out = room;
        result = BZ2_bzDecompress(&stream);
        *used += in - stream.avail_in;
        bytes->size += room - stream.avail_out;
        is_stuck = stream.avail_in == in && stream.avail_out == room;
    }
    if (result != BZ_STREAM_END)
        status = unpack_fail(reader, result, bytes->size);
cleanup:
    (void)BZ2_bzDecompressEnd(&stream);
    return status;
}

spmm_status_t spmmi_bunzip2(struct spmmi_reader *reader, const char *packed, uint64_t size,
                            struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    for (uint64_t position = 0; position < size;) {
        uint64_t used = 0;
        SPMM_TRY(unpack_stream(reader, packed + position, size - position, bytes, &used));
        position += used;
        spmmi_reader_progress(reader, "unpack", position, size);
    }
cleanup:
    return status;
}
