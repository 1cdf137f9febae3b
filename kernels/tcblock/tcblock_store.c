/* SPDX-License-Identifier: Apache-2.0 */
/* See tcblock_store.h. */
#include "tcblock_store.h"

#include <string.h>

#include "format/base/alloc.h"

/* Bytes that a thread takes at a time, unless a unit needs more. With much memory this is a huge page,
 * because threads that begin to write the same huge page each clear it. */
#define CHUNK_MAX (UINT64_C(2) << 20)
#define CHUNKS_OF_THREAD 4u

/* Upper limits of the bytes that a family keeps: 13 per nonzero, 168 per unit of 8 rows or more
 * (tcblock_pack.h), and the unused parts of the threads' chunks. */
#define BYTES_A_NONZERO 16u
#define BYTES_A_ROW 32u

#ifdef SPMM_TEST_HOOKS
uint64_t spmmi_store_max_hook = SPMMI_STORE_MAX, spmmi_store_kept_hook, spmmi_store_refused_hook;
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

uint64_t spmmi_store_wanted(uint64_t nonzeros, uint64_t rows)
{
    const uint64_t bytes = BYTES_A_NONZERO * nonzeros + BYTES_A_ROW * rows;
    return bytes < STORE_MAX ? bytes : STORE_MAX;
}

void spmmi_store_make(uint32_t units, uint64_t bytes, int threads, uint64_t most,
                      struct spmmi_tcblock_store *store)
{
    const uint64_t chunk = chunk_of(bytes, threads), wanted = bytes + chunk * (uint64_t)threads;
    const uint64_t listed = units * sizeof *store->kept, allowed = most < STORE_MAX ? most : STORE_MAX;
    *store = (struct spmmi_tcblock_store){.chunk = chunk};
    if (allowed <= listed + SPMMI_STORE_ALIGN)
        return;
    store->bytes = wanted < allowed - listed ? wanted : allowed - listed;
    store->kept = spmmi_alloc_zero(units, sizeof *store->kept);
    store->memory = store->kept != NULL ? spmmi_alloc(store->bytes, 1) : NULL;
    store->bytes = store->memory != NULL ? store->bytes : 0;
}

void spmmi_store_free(struct spmmi_tcblock_store *store)
{
    spmmi_free(store->memory);
    spmmi_free(store->kept);
    memset(store, 0, sizeof *store);
}

/* Takes `bytes` of the store's memory. Returns NULL if fewer are left; smaller requests may still succeed. */
static char *piece_of(struct spmmi_tcblock_store *store, uint64_t bytes)
{
    char *piece = NULL;
#pragma omp critical(spmmi_store_piece)
    if (bytes <= store->bytes - store->taken) {
        piece = store->memory + store->taken;
        store->taken += bytes;
    }
    return piece;
}

static char *take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes)
{
    const uint64_t rounded = round_up(bytes);
    if (rounded > chunk->left) {
        const uint64_t size = rounded > store->chunk ? rounded : store->chunk;
        char *const piece = piece_of(store, size);
        if (piece == NULL)
            return rounded < size ? piece_of(store, rounded) : NULL;
        *chunk = (struct spmmi_tcblock_chunk){piece, size};
    }
    char *const memory = chunk->next;
    chunk->next += rounded;
    chunk->left -= rounded;
    return memory;
}

char *spmmi_store_take(struct spmmi_tcblock_store *store, struct spmmi_tcblock_chunk *chunk, uint64_t bytes)
{
    char *const memory = take(store, chunk, bytes);
#ifdef SPMM_TEST_HOOKS
    uint64_t *const count = memory != NULL ? &spmmi_store_kept_hook : &spmmi_store_refused_hook;
#pragma omp atomic
    *count += 1;
#endif
    return memory;
}
