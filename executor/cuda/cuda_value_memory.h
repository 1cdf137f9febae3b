/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that only new values of A need: a map that says where each goes, or where rows begin and what order they have
 * (tcblock_scatter.h), and values that no kernel reads before. An executor that gets no new values does without it: the
 * map then stays on the host, and the rest is not there. */
#ifndef SPMMI_CUDA_VALUE_MEMORY_H
#define SPMMI_CUDA_VALUE_MEMORY_H

#include "executor/backend.h"
#include "cuda_arena.h"
#include "cuda_upload.h"

struct spmmi_value_memory {
    const struct spmmi_device_memory *from;
    uint32_t map_count;    /* 0: there is no map */
    uint32_t *host_map;    /* owned; NULL: given back, or not made */
    uint32_t *map;         /* the same on the device; NULL: not there */
    uint64_t lacked_bytes; /* of values that are lacked until new ones are set; 0: they are held elsewhere */
    void *values;          /* on the device, to write; NULL: lacked */
    struct spmmi_device_block block; /* the map, and values that were lacked */
};

/* Counts a map of so many entries. lacks_values: it comes with them. */
static inline void spmmi_value_map_count(const struct spmmi_part_source *source, uint64_t entries,
                                         int lacks_values)
{
    struct spmmi_arena arena = {NULL, 0};
    (void)spmmi_arena_cut(&arena, entries, sizeof(uint32_t));
    source->for_values->device += lacks_values ? 0 : arena.bytes;
    source->for_values->host += entries * sizeof(uint32_t);
}

/* The array, which is the caller's no longer. */
static inline uint32_t *spmmi_array_move(uint32_t **array)
{
    uint32_t *const moved = *array;
    *array = NULL;
    return moved;
}

/* The map on the device, still empty, unless values are lacked: then it comes with them. host_map is taken over, after
 * an error too. */
spmm_status_t spmmi_value_map_take(struct spmmi_value_memory *memory, uint32_t *host_map, uint32_t map_count,
                                   spmm_diag_t *diag);
/* Whatever new values need is on the device when it returns. Products do not see it before spmmi_value_memory_show. */
spmm_status_t spmmi_value_memory_open(struct spmmi_value_memory *memory, spmm_diag_t *diag);
void spmmi_value_memory_show(struct spmmi_value_memory *memory);

/* So many bytes of values: of the arena, or lacked. */
static inline void spmmi_values_cut(struct spmmi_arena *arena, const struct spmmi_device *device,
                                    uint64_t bytes, struct spmmi_value_memory *memory)
{
    if (device->lacks_values)
        memory->lacked_bytes = bytes;
    else
        memory->values = spmmi_arena_cut(arena, bytes, 1);
}

/* Where the map stays. Values that were held do. */
enum spmmi_value_maps { SPMMI_MAPS_NOWHERE, SPMMI_MAPS_ON_HOST, SPMMI_MAPS_ON_DEVICE };
void spmmi_value_memory_settle(struct spmmi_value_memory *memory, enum spmmi_value_maps maps);
static inline void spmmi_value_memory_free(struct spmmi_value_memory *memory)
{
    spmmi_value_memory_settle(memory, SPMMI_MAPS_NOWHERE);
}

#endif
