/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that all decoders share: the buffer of unpacked bytes, and memory of decoders. See
 * container.h. */
#include "container.h"
#include "format/base/checked.h"
#include "format/base/diag.h"

spmm_status_t spmmi_unpack_room(struct spmmi_reader *reader, uint64_t wanted, struct spmmi_bytes *bytes)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_reader_ops *ops = NULL;
    if (bytes->size < bytes->capacity)
        return SPMM_OK;
    if (bytes->capacity == 0)
        return spmmi_bytes_reserve(reader, bytes, SPMMI_PREFIX_BYTES);
    if (bytes->capacity == SPMMI_PREFIX_BYTES)
        SPMM_TRY(spmmi_reader_find(reader, bytes->data, bytes->size, false, &ops));
    SPMM_TRY(spmmi_bytes_reserve(reader, bytes, wanted > bytes->capacity ? wanted : bytes->capacity * 2));
cleanup:
    return status;
}

/* Each block starts with its size. */
#define BLOCK_HEAD 64 /* in bytes; keeps the alignment of the block */

void *spmmi_unpack_alloc(const struct spmmi_unpack_memory *decoder, uint64_t bytes)
{
    char *block = NULL;
    uint64_t size = 0;
    if (!spmmi_add_u64(bytes, BLOCK_HEAD, &size) ||
        spmmi_reader_alloc(decoder->reader, decoder->name, size, 1, &block) != SPMM_OK)
        return NULL;
    memcpy(block, &size, sizeof size);
    return block + BLOCK_HEAD;
}

void spmmi_unpack_free(const struct spmmi_unpack_memory *decoder, void *memory)
{
    uint64_t size = 0;
    if (memory == NULL)
        return;
    char *block = (char *)memory - BLOCK_HEAD;
    memcpy(&size, block, sizeof size);
    spmmi_reader_free(decoder->reader, block, size, 1);
}
