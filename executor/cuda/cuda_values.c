/* SPDX-License-Identifier: Apache-2.0 */
/* The values of A of an executor on a GPU. If all are equal, parts of rows hold none. If no part reads values
 * in the order of A, the array in that order is freed once the parts have made theirs from it. The first new
 * values allocate what they need, and it is kept (docs/decisions/0086). */
#include <cuda_runtime_api.h>

#include "cuda_backend.h"
#include "cuda_call.h"
#include "cuda_state.h"
#include "format/base/stored_value.h"

/* ---- Before memory is taken ---- */

/* Returns true if a part needs values even if all are equal. */
static int has_part_of_values(const struct spmmi_parts *parts)
{
    int is_there = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        is_there |= !parts->list[i].backend->may_lack_values;
    return is_there;
}

void spmmi_cuda_values_plan(struct spmmi_cuda *cuda, const spmm_executor_options_t *options)
{
    const int is_open = !options->unit_values && (options->new_values || !cuda->first.exist);
    cuda->maps = options->unit_values ? SPMMI_MAPS_NOWHERE
                 : is_open            ? SPMMI_MAPS_ON_DEVICE
                                      : SPMMI_MAPS_ON_HOST;
    cuda->is_open = cuda->maps != SPMMI_MAPS_ON_HOST;
    cuda->device.lacks_values = cuda->first.are_equal && !is_open;
    cuda->device.has_new_values = !options->unit_values;
    cuda->takes_values = !cuda->device.lacks_values || has_part_of_values(cuda->parts);
}

int spmmi_cuda_keeps_values(const struct spmmi_cuda *cuda)
{
    const int are_few = cuda->nnz <= SPMMI_CUDA_VALUES_KEPT && !cuda->device.lacks_values;
    return cuda->maps == SPMMI_MAPS_ON_DEVICE || cuda->parts->reads_values || are_few;
}

uint64_t spmmi_cuda_values_bytes(const struct spmmi_cuda *cuda)
{
    struct spmmi_arena arena = {NULL, 0};
    (void)spmmi_arena_cut(&arena, (uint64_t)cuda->nnz + SPMMI_VALUES_PAD, spmm_dtype_size(cuda->dtype));
    return arena.bytes;
}

/* ---- First values ---- */

/* Writes ones of this type: a spmmi_upload_fill. */
static void ones_fill(const void *dtype, uint64_t first, uint64_t count, void *to)
{
    (void)first;
    for (uint64_t q = 0; q < count; q++)
        spmmi_value_store(to, *(const spmm_dtype_t *)dtype, (int64_t)q, 1);
}

static spmm_status_t block_take(struct spmmi_cuda *cuda, spmm_diag_t *diag)
{
    struct spmmi_arena arena = {NULL, spmmi_cuda_values_bytes(cuda)};
    return cuda->block.memory != NULL ? SPMM_OK
                                      : spmmi_arena_take(&arena, &cuda->device.memory, &cuda->block, diag);
}

spmm_status_t spmmi_cuda_values_take(struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones,
                                     struct spmmi_uploads *waiting, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    cuda->is_uniform = cuda->first.are_equal && !are_ones;
    cuda->value = cuda->is_uniform ? spmmi_value_load(plan->values, cuda->dtype, 0) : 1;
    if (!cuda->takes_values)
        goto cleanup;
    SPMM_TRY(block_take(cuda, diag));
    cuda->device.values = cuda->block.memory;
    if (cuda->first.exist)
        spmmi_upload_add(waiting, cuda->block.memory, cuda->nnz, spmm_dtype_size(cuda->dtype),
                         are_ones ? ones_fill : NULL, are_ones ? &cuda->dtype : plan->values);
cleanup:
    return status;
}

/* Passes the values in their block to the parts that keep them in another order. */
static spmm_status_t give_values(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag)
{
    const spmm_status_t status = spmmi_parts_set_values(cuda->parts, cuda->block.memory, stream);
    return status == SPMM_OK ? SPMM_OK : spmmi_cuda_part_failed(status, "giving the parts new values", diag);
}

typedef spmm_status_t (*visit_fn)(struct spmmi_value_memory *memory, void *context, spmm_diag_t *diag);

/* Visits all memory that new values of an object need, until a visit fails. */
static spmm_status_t visit_object(struct spmmi_value_memory *(*at)(void *object, int index), void *object,
                                  visit_fn visit, void *context, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_value_memory *memory = NULL;
    for (int k = 0; at != NULL && object != NULL && (memory = at(object, k)) != NULL && status == SPMM_OK;
         k++)
        status = visit(memory, context, diag);
    return status;
}

/* Does the same for all shared objects and parts. */
static spmm_status_t visit_all(const struct spmmi_parts *parts, visit_fn visit, void *context,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t i = 0; i < parts->shared_count && status == SPMM_OK; i++)
        status =
            visit_object(parts->shared[i].kind->value_memory, parts->shared[i].object, visit, context, diag);
    for (uint32_t i = 0; i < parts->count && status == SPMM_OK; i++)
        status =
            visit_object(parts->list[i].backend->value_memory, parts->list[i].state, visit, context, diag);
    return status;
}

static spmm_status_t open_one(struct spmmi_value_memory *memory, void *context, spmm_diag_t *diag)
{
    (void)context;
    return spmmi_value_memory_open(memory, diag);
}

static spmm_status_t show_one(struct spmmi_value_memory *memory, void *context, spmm_diag_t *diag)
{
    (void)context, (void)diag;
    spmmi_value_memory_show(memory);
    return SPMM_OK;
}

static spmm_status_t settle_one(struct spmmi_value_memory *memory, void *maps, spmm_diag_t *diag)
{
    (void)diag;
    spmmi_value_memory_settle(memory, *(enum spmmi_value_maps *)maps);
    return SPMM_OK;
}

static spmm_status_t count_one(struct spmmi_value_memory *memory, void *host_bytes, spmm_diag_t *diag)
{
    (void)diag;
    *(uint64_t *)host_bytes += memory->host_map != NULL ? memory->map_count * sizeof *memory->host_map : 0;
    return SPMM_OK;
}

static void maps_settle(struct spmmi_cuda *cuda, enum spmmi_value_maps maps)
{
    uint64_t host_bytes = 0;
    (void)visit_all(cuda->parts, settle_one, &maps, NULL);
    (void)visit_all(cuda->parts, count_one, &host_bytes, NULL);
    atomic_store(&cuda->host_bytes, host_bytes);
}

spmm_status_t spmmi_cuda_values_finish(struct spmmi_cuda *cuda, struct spmmi_uploads *waiting,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (cuda->takes_values && cuda->first.exist) {
        SPMM_TRY(spmmi_cuda_upload_all(waiting, diag));
        SPMM_TRY(give_values(cuda, NULL, diag));
    }
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag);
    maps_settle(cuda, cuda->maps);
    if (!spmmi_cuda_keeps_values(cuda)) {
        cuda->device.values = NULL;
        spmmi_device_release(&cuda->block);
    }
cleanup:
    return status;
}

void spmmi_cuda_values_destroy(struct spmmi_cuda *cuda)
{
    spmmi_device_release(&cuda->block);
    (void)pthread_mutex_destroy(&cuda->opening);
}

/* ---- New values ---- */

enum cudaStreamCaptureStatus spmmi_cuda_capture(void *stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) == cudaSuccess)
        return capture;
    (void)cudaGetLastError();
    return cudaStreamCaptureStatusInvalidated;
}

/* Refuses new values if a product was captured while parts of rows hold none: the graph
 * would keep the first value. */
static spmm_status_t capture_check(const struct spmmi_cuda *cuda, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(
        !cuda->device.lacks_values || !atomic_load(&cuda->was_captured), SPMM_ERR_ARGUMENT, diag,
        "a product was captured while all values are the same and none are held: it would not see "
        "new ones. Make the executor with new_values = 1, or set values before products are captured");
cleanup:
    return status;
}

static spmm_status_t memory_open(struct spmmi_cuda *cuda, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int had_block = cuda->block.memory != NULL;
    SPMM_TRY(block_take(cuda, diag));
    SPMM_TRY(visit_all(cuda->parts, open_one, NULL, diag));
    SPMM_TRY_CUDA(cudaStreamSynchronize(NULL), diag); /* new memory was zeroed in the legacy stream */
    maps_settle(cuda, SPMMI_MAPS_ON_DEVICE);
    cuda->is_open = 1;
cleanup:
    if (status != SPMM_OK) {
        maps_settle(cuda, SPMMI_MAPS_ON_HOST);
        if (!had_block)
            spmmi_device_release(&cuda->block);
    }
    return status;
}

spmm_status_t spmmi_cuda_values_open(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    (void)pthread_mutex_lock(&cuda->opening);
    if (cuda->is_open || cuda->nnz == 0)
        goto cleanup;
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    SPMM_REQUIRE(spmmi_cuda_capture(stream) == cudaStreamCaptureStatusNone, SPMM_ERR_ARGUMENT, diag,
                 "the first new values take device memory, which no stream that is captured can do: make the "
                 "executor with new_values = 1");
    SPMM_TRY(capture_check(cuda, diag));
    SPMM_TRY(memory_open(cuda, diag));
cleanup:
    spmmi_cuda_leave(scope);
    (void)pthread_mutex_unlock(&cuda->opening);
    return status;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    if (bytes == 0)
        goto cleanup;
    SPMM_TRY(capture_check(cuda, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    cuda->is_uniform = 0;
    cuda->device.lacks_values = 0;
    cuda->device.values = cuda->block.memory;
    (void)visit_all(cuda->parts, show_one, NULL, NULL);
    SPMM_TRY_CUDA(cudaMemcpyAsync(cuda->block.memory, values, bytes, cudaMemcpyDefault, stream), diag);
    SPMM_TRY(give_values(cuda, stream, diag));
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

spmm_status_t spmmi_cuda_values_wait(const struct spmmi_cuda *cuda, const void *values, void *stream,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct cudaPointerAttributes attributes;
    struct spmmi_cuda_scope scope = {-1};
    if (cuda->nnz == 0)
        return SPMM_OK;
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    SPMM_TRY_CUDA(cudaPointerGetAttributes(&attributes, values), diag);
    if (attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost)
        SPMM_TRY_CUDA(cudaStreamSynchronize(stream), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

const void *spmmi_cuda_values(const struct spmmi_cuda *cuda)
{
    return cuda->device.values;
}

spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, const void *from, void *values,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    for (uint32_t q = 0; from == NULL && q < cuda->nnz; q++)
        spmmi_value_store(values, cuda->dtype, q, cuda->value);
    if (from == NULL)
        return SPMM_OK;
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag);
    SPMM_TRY_CUDA(cudaMemcpy(values, from, bytes, cudaMemcpyDeviceToHost), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}
