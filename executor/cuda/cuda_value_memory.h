/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that only new values of A need: a map with the place of each value, or the beginnings and
 * order of rows (tcblock_scatter.h), and values that no kernel reads before. Without new values an executor
 * does not have this memory: the map stays on the host. */
#ifndef SPMMI_CUDA_VALUE_MEMORY_H
#define SPMMI_CUDA_VALUE_MEMORY_H

#include "executor/backend.h"
#include "cuda_arena.h"
#include "cuda_upload.h"

struct spmmi_value_memory {
    const struct spmmi_device_memory *from;
    uint32_t map_count;    /* number of entries of the map; 0: there is no map */
    uint32_t *host_map;    /* owned; NULL: freed, or not made */
    uint32_t *map;         /* the same map on the device; NULL: it is not there */
    uint64_t lacked_bytes; /* bytes of values not held until new ones are set; 0: they are held elsewhere */
    void *values;          /* on the device, to be written; NULL: not held */
    struct spmmi_device_block block; /* memory of the map and of the values that were not held */
};

/* Counts the memory of a map of this many entries; without its device memory if lacks_values: the map is then
 * allocated together with the values. */
static inline void spmmi_value_map_count(const struct spmmi_part_source *source, uint64_t entries,
                                         int lacks_values)
{
    struct spmmi_arena arena = {NULL, 0};
    (void)spmmi_arena_cut(&arena, entries, sizeof(uint32_t));
    source->for_values->device += lacks_values ? 0 : arena.bytes;
    source->for_values->host += entries * sizeof(uint32_t);
}

/* Returns the array and sets the caller's pointer to NULL: moves the ownership. */
static inline uint32_t *spmmi_array_move(uint32_t **array)
{
    uint32_t *const moved = *array;
    *array = NULL;
    return moved;
}

/* Allocates the map on the device, still empty; if values are not held, spmmi_value_memory_open allocates
 * both. Takes ownership of host_map, also after an error. */
spmm_status_t spmmi_value_map_take(struct spmmi_value_memory *memory, uint32_t *host_map, uint32_t map_count,
                                   spmm_diag_t *diag);
/* Makes everything that new values need present on the device. Products see it only after
 * spmmi_value_memory_show. */
spmm_status_t spmmi_value_memory_open(struct spmmi_value_memory *memory, spmm_diag_t *diag);
void spmmi_value_memory_show(struct spmmi_value_memory *memory);

/* Cuts bytes for values from the arena, or records that they are not held. */
static inline void spmmi_values_cut(struct spmmi_arena *arena, const struct spmmi_device *device,
                                    uint64_t bytes, struct spmmi_value_memory *memory)
{
    if (device->lacks_values)
        memory->lacked_bytes = bytes;
    else
        memory->values = spmmi_arena_cut(arena, bytes, 1);
}

/* Locations of the map. spmmi_value_memory_settle frees its other copies; unless it stays on the
 * device, that also frees the values that were not held before. */
enum spmmi_value_maps { SPMMI_MAPS_NOWHERE, SPMMI_MAPS_ON_HOST, SPMMI_MAPS_ON_DEVICE };
void spmmi_value_memory_settle(struct spmmi_value_memory *memory, enum spmmi_value_maps maps);
static inline void spmmi_value_memory_free(struct spmmi_value_memory *memory)
{
    spmmi_value_memory_settle(memory, SPMMI_MAPS_NOWHERE);
}

#endif
