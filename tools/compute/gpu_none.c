/* SPDX-License-Identifier: Apache-2.0 */
/* Implements gpu.h in a build without CUDA: every function reports that there is no GPU. */
#include "gpu.h"

#include "tools/cli/fail.h"

static spmm_status_t no_gpu(spmm_diag_t *diag)
{
    return fail(diag, SPMM_ERR_NO_DEVICE, "this build has no GPU support");
}

const char *gpu_absence(void)
{
    return "this build has no CUDA (configure it with SPMM_CUDA=ON)";
}

spmm_status_t gpu_select(int device, spmm_diag_t *diag)
{
    (void)device;
    return no_gpu(diag);
}

spmm_status_t gpu_memory_free(uint64_t *bytes, spmm_diag_t *diag)
{
    *bytes = 0;
    return no_gpu(diag);
}

spmm_status_t gpu_alloc(void **block, uint64_t bytes, spmm_diag_t *diag)
{
    (void)bytes;
    *block = NULL;
    return no_gpu(diag);
}

void gpu_free(void *block)
{
    (void)block;
}

spmm_status_t gpu_alloc_pinned(void **block, uint64_t bytes, spmm_diag_t *diag)
{
    (void)bytes;
    *block = NULL;
    return no_gpu(diag);
}

void gpu_free_pinned(void *block)
{
    (void)block;
}

spmm_status_t gpu_copy(void *to, const void *from, uint64_t bytes, spmm_diag_t *diag)
{
    (void)to;
    (void)from;
    (void)bytes;
    return no_gpu(diag);
}

spmm_status_t gpu_fill(void *block, int byte, uint64_t bytes, spmm_diag_t *diag)
{
    (void)block;
    (void)byte;
    (void)bytes;
    return no_gpu(diag);
}

spmm_status_t gpu_synchronize(spmm_diag_t *diag)
{
    return no_gpu(diag);
}

spmm_status_t gpu_event_create(struct gpu_event **event, spmm_diag_t *diag)
{
    *event = NULL;
    return no_gpu(diag);
}

void gpu_event_destroy(struct gpu_event *event)
{
    (void)event;
}

spmm_status_t gpu_event_record(struct gpu_event *event, spmm_diag_t *diag)
{
    (void)event;
    return no_gpu(diag);
}

spmm_status_t gpu_event_elapsed(const struct gpu_event *from, const struct gpu_event *to, double *ms,
                                spmm_diag_t *diag)
{
    (void)from;
    (void)to;
    *ms = 0;
    return no_gpu(diag);
}
