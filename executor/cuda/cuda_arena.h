/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts one allocation of device memory into aligned pieces; with base NULL it only counts, so that sizes and addresses
 * come of the same walk. */
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

/* Device memory for the pieces that were counted, all zero, as padding must be finite; the same walk then cuts it. base
 * is that of *block, which is the caller's to release, and stays what it was after an error. Errors: those of
 * spmmi_device_take. */
spmm_status_t spmmi_arena_take(struct spmmi_arena *arena, const struct spmmi_device_memory *from,
                               struct spmmi_device_block *block, spmm_diag_t *diag);

#endif
