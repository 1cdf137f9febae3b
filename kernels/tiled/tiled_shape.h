/* SPDX-License-Identifier: Apache-2.0 */
/* Launch shapes of row blocks of the tiled family on a GPU, for kernels and predictions. */
#ifndef SPMMI_TILED_SHAPE_H
#define SPMMI_TILED_SHAPE_H

#include "kernels/shared/kernel_base.h"

#define SPMMI_TILED_LANES 32u
#define SPMMI_TILED_THREADS_MAX 256u
#define SPMMI_TILED_REGISTER_TILE_MAX 32u /* maximum columns that a thread keeps (R) */
#define SPMMI_TILED_SUMS_MAX 64u          /* maximum bytes of sums that a thread keeps: docs/decisions/0025 */
/* Threads per multiprocessor from which on R grows instead of their number: docs/decisions/0136 */
#define SPMMI_TILED_THREADS_PER_SM 512u
#define SPMMI_TILED_STAGE_BATCH 4u  /* column indices of a stage that a thread loads at once */
#define SPMMI_TILED_SPLIT_GROUPS 8u /* groups of 32 threads that add the partial sums of a row */
/* Maximum shared memory of a thread block: every GPU from compute capability 8.0 on has it. */
#define SPMMI_TILED_SHARED_MAX (99u * 1024u)

SPMMI_GEOMETRY uint32_t spmmi_tiled_sum_size(uint32_t value_bytes)
{
    return value_bytes == 8 ? 8 : 4;
}

/* Returns the bytes from slot to slot of a stage in shared memory. This is an odd number of 16-byte words, so
 * that slots that differ modulo 8 are in different banks; slots below 16 bytes are not padded. */
SPMMI_GEOMETRY uint32_t spmmi_tiled_slot_bytes(uint32_t register_tile, uint32_t value_bytes)
{
    const uint32_t bytes = register_tile * value_bytes;
    return bytes < 16u ? bytes : (bytes / 16u | 1u) * 16u;
}

/* Returns the shared memory of a thread block: one stage of at most stage_slots slots, or two (double
 * buffering) of long_slots slots (0: no row block has two). Slot 0, which holds zeros, is added to each. */
static inline uint32_t spmmi_tiled_stages_bytes(uint32_t stage_slots, uint32_t long_slots,
                                                uint32_t register_tile, uint32_t value_bytes)
{
    const uint32_t turns = long_slots > 0 ? 2u * (long_slots + 1u) : 0u;
    const uint32_t slots = stage_slots + 1u > turns ? stage_slots + 1u : turns;
    return slots * spmmi_tiled_slot_bytes(register_tile, value_bytes);
}

/* What the columns of a thread (R) depend on. A thread owns a unit: a row, or a segment of one. */
struct spmmi_tiled_work {
    int64_t n;
    uint64_t units;
    uint32_t multiprocessors, value_bytes;
    uint32_t stage_slots, long_slots; /* as in spmmi_tiled_stages_bytes; 0: not known yet */
};

/* Returns R: the smallest power of two that covers n or leaves no more than SPMMI_TILED_THREADS_PER_SM threads
 * per multiprocessor, limited by registers for the sums and shared memory for the stages. */
static inline uint32_t spmmi_tiled_register_tile(const struct spmmi_tiled_work *w)
{
    const uint64_t threads = (uint64_t)w->multiprocessors * SPMMI_TILED_THREADS_PER_SM;
    uint32_t tile = 1;
    while (tile < w->n && w->units * (((uint64_t)w->n + tile - 1) / tile) > threads &&
           2 * tile * spmmi_tiled_sum_size(w->value_bytes) <= SPMMI_TILED_SUMS_MAX &&
           spmmi_tiled_stages_bytes(w->stage_slots, w->long_slots, 2 * tile, w->value_bytes) <=
               SPMMI_TILED_SHARED_MAX)
        tile *= 2;
    return tile;
}

/* Returns the thread blocks of 256 threads per multiprocessor (launch bounds): as many as cause no register
 * spills, because one spill in the loop costs more than another thread block gains. */
SPMMI_GEOMETRY uint32_t spmmi_tiled_resident(uint32_t sum_bytes)
{
    return sum_bytes < 32 ? 4 : sum_bytes <= 64 ? 3 : 2;
}

/* Returns the registers per thread that these launch bounds leave, of 65,536. They are
 * allocated in units of eight. */
static inline uint32_t spmmi_tiled_registers(uint32_t sum_bytes)
{
    return 65536u / (SPMMI_TILED_THREADS_MAX * spmmi_tiled_resident(sum_bytes)) / 8 * 8;
}

#endif
