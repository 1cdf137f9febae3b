/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_arena.h. */
#include "cuda_arena.h"

#include "cuda_call.h"

spmm_status_t spmmi_arena_take(struct spmmi_arena *arena, const struct spmmi_device_memory *from,
                               struct spmmi_device_block *block, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_device_block taken = {.memory = NULL};
    SPMM_TRY(spmmi_device_take(from, arena->bytes, NULL, &taken, diag));
    if (taken.bytes > 0)
        SPMM_TRY_CUDA(cudaMemset(taken.memory, 0, taken.bytes), diag);
    *arena = (struct spmmi_arena){taken.memory, 0};
    *block = taken;
    taken.memory = NULL;
cleanup:
    spmmi_device_release(&taken);
    return status;
}
