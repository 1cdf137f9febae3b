/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_arena.h. */
#include "cuda_arena.h"

#include "cuda_call.h"

spmm_status_t spmmi_arena_take(struct spmmi_arena *arena, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *memory = NULL;
    SPMM_TRY_CUDA(cudaMalloc(&memory, (size_t)arena->bytes), diag);
    SPMM_TRY_CUDA(cudaMemset(memory, 0, (size_t)arena->bytes), diag);
    *arena = (struct spmmi_arena){memory, 0};
    memory = NULL;
cleanup:
    (void)cudaFree(memory);
    return status;
}
