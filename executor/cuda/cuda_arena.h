/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts one allocation of device memory into aligned pieces. With base NULL it only counts, so that the same
 * code gives both the size and the addresses. */
#ifndef SPMMI_CUDA_ARENA_H
#define SPMMI_CUDA_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "cuda_memory.h"

struct spmmi_arena {
    char *base;
    uint64_t bytes;
};

static inline void *spmmi_arena_cut(struct spmmi_arena *arena, uint64_t count, size_t size)
{
    const uint64_t offset = arena->bytes;
    arena->bytes += (count * size + SPMMI_DEVICE_ALIGN - 1) / SPMMI_DEVICE_ALIGN * SPMMI_DEVICE_ALIGN;
    return arena->base != NULL ? arena->base + offset : NULL;
}

/* Allocates device memory for the pieces that were counted. All bytes are zero, since padding must be finite.
 * The caller then repeats the cuts to get addresses. arena->base is the memory of *block, which the caller
 * releases; both are unchanged after an error. Errors: as spmmi_device_take. */
spmm_status_t spmmi_arena_take(struct spmmi_arena *arena, const struct spmmi_device_memory *from,
                               struct spmmi_device_block *block, spmm_diag_t *diag);

#endif
