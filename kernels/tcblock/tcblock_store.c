/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_store.h. */
#include "tcblock_store.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

/* That a thread takes at a time, or what one unit needs: a huge page if there are many, as threads that begin to write
 * the same one each clear it. */
#define CHUNK_MAX (UINT64_C(2) << 20)
#define CHUNKS_OF_THREAD 4u

#ifdef SPMM_TEST_HOOKS
uint64_t spmmi_store_max_hook = SPMMI_STORE_MAX;
#define STORE_MAX spmmi_store_max_hook
#else
#define STORE_MAX SPMMI_STORE_MAX
#endif

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + SPMMI_STORE_ALIGN - 1) / SPMMI_STORE_ALIGN * SPMMI_STORE_ALIGN;
}

static uint64_t chunk_of(uint64_t bytes, int threads)
{
    const uint64_t chunk = round_up(bytes / (CHUNKS_OF_THREAD * (uint64_t)threads) + 1);
    return chunk < CHUNK_MAX ? chunk : CHUNK_MAX;
}

static uint64_t memory_bytes(uint64_t bytes, int threads)
{
    const uint64_t most = bytes + chunk_of(bytes, threads) * (uint64_t)threads;
    return most < STORE_MAX ? most : STORE_MAX;
}

uint64_t spmmi_store_bytes(uint32_t units, uint64_t bytes, int threads)
{
    return memory_bytes(bytes, threads) + units * sizeof(const char *);
}

spmm_status_t spmmi_store_make(uint32_t units, uint64_t bytes, int threads, struct spmmi_tcblock_store *store,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *store = (struct spmmi_tcblock_store){.bytes = memory_bytes(bytes, threads),
                                          .chunk = chunk_of(bytes, threads)};
    SPMM_TRY_ALLOC(store->kept = spmmi_alloc_zero(units, sizeof *store->kept), diag);
    SPMM_TRY_ALLOC(store->memory = spmmi_alloc(store->bytes, 1), diag);
cleanup:
    return status;
}

void spmmi_store_free(struct spmmi_tcblock_store *store)
{
    spmmi_free(store->memory);
    spmmi_free(store->kept);
    memset(store, 0, sizeof *store);
}

char *spmmi_store_take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes)
{
    const uint64_t rounded = round_up(bytes);
    if (rounded > chunk->left) {
        const uint64_t size = rounded > store->chunk ? rounded : store->chunk;
        uint64_t first;
#pragma omp atomic capture
        {
            first = store->taken;
            store->taken += size;
        }
        if (first + size > store->bytes)
            return NULL;
        *chunk = (struct spmmi_tcblock_chunk){store->memory + first, size};
    }
    char *const memory = chunk->next;
    chunk->next += rounded;
    chunk->left -= rounded;
    return memory;
}
