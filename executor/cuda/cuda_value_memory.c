/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_value_memory.h. */
#include "cuda_value_memory.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"

/* Cuts the map and the values that were not held from the arena; with an arena that only
 * counts, pointers are NULL. */
static void cut(struct spmmi_arena *arena, struct spmmi_value_memory *memory, void **lacked)
{
    *lacked = memory->lacked_bytes > 0 ? spmmi_arena_cut(arena, memory->lacked_bytes, 1) : NULL;
    memory->map =
        memory->map_count > 0 ? spmmi_arena_cut(arena, memory->map_count, sizeof *memory->map) : NULL;
}

static spmm_status_t take(struct spmmi_value_memory *memory, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    void *lacked;
    cut(&arena, memory, &lacked);
    SPMM_TRY(spmmi_arena_take(&arena, memory->from, &memory->block, diag));
    cut(&arena, memory, &lacked);
cleanup:
    return status;
}

spmm_status_t spmmi_value_map_take(struct spmmi_value_memory *memory, uint32_t *host_map, uint32_t map_count,
                                   spmm_diag_t *diag)
{
    memory->host_map = host_map;
    memory->map_count = map_count;
    return memory->lacked_bytes > 0 ? SPMM_OK : take(memory, diag);
}

spmm_status_t spmmi_value_memory_open(struct spmmi_value_memory *memory, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (memory->block.memory != NULL)
        return SPMM_OK;
    SPMM_TRY(take(memory, diag));
    if (memory->map_count > 0)
        SPMM_TRY(
            spmmi_cuda_copy_up(memory->map, memory->host_map, memory->map_count, sizeof *memory->map, diag));
cleanup:
    return status;
}

void spmmi_value_memory_show(struct spmmi_value_memory *memory)
{
    if (memory->lacked_bytes > 0)
        memory->values = memory->block.memory; /* cut() puts values first */
}

void spmmi_value_memory_settle(struct spmmi_value_memory *memory, enum spmmi_value_maps maps)
{
    if (maps != SPMMI_MAPS_ON_HOST) {
        spmmi_free(memory->host_map);
        memory->host_map = NULL;
    }
    if (maps != SPMMI_MAPS_ON_DEVICE) {
        spmmi_device_release(&memory->block);
        memory->map = NULL;
    }
}
