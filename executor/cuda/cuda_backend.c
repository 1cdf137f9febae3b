/* SPDX-License-Identifier: Apache-2.0 */
/* An executor on a GPU: its device, the values of A, and the parts that it runs. Parts that no product can
 * reach take no memory. */
#include "cuda_backend.h"

#include <cuda_runtime_api.h>
#include <sys/random.h>

#include "cuda_arena.h"
#include "cuda_call.h"
#include "cuda_parts.h"
#include "cuda_pool.h"
#include "cuda_upload.h"
#include "executor/pack/pack_threads.h"
#include "format/base/alloc.h"
#include "format/base/each.h"
#include "format/base/stored_value.h"
#include "format/family.h"

#define PIECE_VALUES (INT64_C(1) << 18) /* that a thread compares at a time */
#define GRAPH_DRIVER \
    12030 /* CUDA 12.3: graphs hold kernels that start before the one before them has ended */

struct spmmi_cuda {
    struct spmmi_device device;
    struct spmmi_parts *parts;
    spmm_dtype_t dtype;
    uint32_t nnz;
    void *values;                    /* of A in its order, and zeros: device.values, to write */
    struct spmmi_device_block block; /* them */
    uint64_t memory_bytes;           /* that create asks for */
    struct spmmi_device_count count; /* of all blocks */
    int is_uniform;                  /* the values of the plan are all the same, and no others were set */
    double value;                    /* it */
};

static spmm_status_t read_device(int number, struct spmmi_device *device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int multiprocessors = 0, shared_max = 0, l2_bytes = 0, driver = 0;
    const uint32_t target = spmmi_cuda_target(number);
    SPMM_REQUIRE(number >= 0 && number < spmmi_cuda_device_count(), SPMM_ERR_NO_DEVICE, diag,
                 "there is no GPU %d: %d found", number, spmmi_cuda_device_count());
    SPMM_REQUIRE(spmmi_cuda_device_runs(number), SPMM_ERR_NO_DEVICE, diag,
                 "this build has no kernels for GPU %d of compute capability %u.%u", number, target / 10,
                 target % 10);
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, number), diag);
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&shared_max, cudaDevAttrMaxSharedMemoryPerBlockOptin, number), diag);
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, number), diag);
    SPMM_TRY_CUDA(cudaDriverGetVersion(&driver), diag);
    *device = (struct spmmi_device){.number = number,
                                    .target = target,
                                    .multiprocessors = (uint32_t)multiprocessors,
                                    .shared_max = (uint32_t)shared_max,
                                    .l2_bytes = (uint64_t)l2_bytes,
                                    .can_overlap = target >= 90 && driver >= GRAPH_DRIVER};
cleanup:
    return status;
}

/* See struct spmmi_device. Up to 256 bytes come whole, and no signal cuts the call short. */
static spmm_status_t draw_random(uint64_t *random, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(getrandom(random, sizeof *random, 0) == sizeof *random, SPMM_ERR_INTERNAL, diag,
                 "the system gives no random numbers");
cleanup:
    return status;
}

/* Plans that no GPU runs, whatever their parts. */
static spmm_status_t plan_check(const spmm_plan_t *plan, const struct spmmi_parts *parts, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t most = INT32_MAX - (int64_t)SPMMI_VALUES_PAD;
    SPMM_REQUIRE(plan->features_exec == 0, SPMM_ERR_PLAN_FEATURE, diag,
                 "the plan uses execution features 0x%llx that this library knows on the CPU only",
                 (unsigned long long)plan->features_exec);
    SPMM_REQUIRE(plan->nnz <= most, SPMM_ERR_TOO_LARGE, diag,
                 "the GPU kernels hold up to %d nonzeros, the plan has %lld", (int)most,
                 (long long)plan->nnz);
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct spmmi_family *family = spmmi_family_of(parts->list[i].part.family);
        char types[SPMMI_TYPE_NAMES_BYTES];
        spmmi_type_names(family->types, types);
        SPMM_REQUIRE((family->types & SPMMI_TYPE_BIT(plan->dtype)) != 0, SPMM_ERR_UNSUPPORTED, diag,
                     "the GPU kernels of family %s have no code for %s, only for %s", family->name,
                     spmm_dtype_name(plan->dtype), types);
    }
cleanup:
    return status;
}

/* Do all parts run without values, as each counts as 1? Products of 16 bits with C of f32 have no kernel that does. */
static int lacks_values(const struct spmmi_cuda *cuda, const spmm_executor_options_t *options)
{
    int runs = options->unit_values && spmm_dtype_size(cuda->dtype) > 2;
    for (uint32_t i = 0; i < cuda->parts->count; i++)
        runs = runs && cuda->parts->list[i].backend->runs_without_values;
    return runs;
}

/* Everything before allocation: the device is queried, the parts are chosen. */
static spmm_status_t open(const spmm_plan_t *plan, int number, const spmm_executor_options_t *options,
                          struct spmmi_cuda *cuda, const char **suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    SPMM_TRY(read_device(number, &cuda->device, diag));
    SPMM_TRY(draw_random(&cuda->device.random, diag));
    SPMM_TRY(spmmi_cuda_parts_choose(plan, &cuda->device, options->force_kernel, &cuda->parts, suffix, diag));
    SPMM_TRY(plan_check(plan, cuda->parts, diag));
    cuda->dtype = plan->dtype;
    cuda->nnz = (uint32_t)plan->nnz;
    cuda->device.lacks_values = lacks_values(cuda, options);
    if (!cuda->device.lacks_values)
        (void)spmmi_arena_cut(&arena, (uint64_t)plan->nnz + SPMMI_VALUES_PAD, spmm_dtype_size(plan->dtype));
    cuda->memory_bytes = arena.bytes;
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_needs *needs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda cuda = {.parts = NULL};
    const char *suffix;
    SPMM_TRY(open(plan, device, options, &cuda, &suffix, diag));
    needs->host += sizeof cuda + spmmi_parts_bytes(plan);
    needs->device += cuda.memory_bytes;
    SPMM_TRY(spmmi_parts_count(cuda.parts, plan, &cuda.device, suffix, needs, diag));
    needs->host += spmmi_upload_scratch(needs->device);
cleanup:
    spmmi_parts_destroy(cuda.parts);
    return status;
}

/* The status of a part that failed. diag has the device's error; the caller's next check must not see it again. */
static spmm_status_t part_failed(spmm_status_t status, const char *what, spmm_diag_t *diag)
{
    const int error = status == SPMM_ERR_DEVICE ? (int)cudaGetLastError() : 0;
    return spmmi_diag_set(diag, status, (struct spmmi_where){0, 0, error}, "%s: %s", what,
                          error != 0 ? cudaGetErrorString((cudaError_t)error) : spmm_status_text(status));
}

/* The values in the device's memory to the parts that keep them in another order. */
static spmm_status_t give_values(struct spmmi_cuda *cuda, void *stream, spmm_diag_t *diag)
{
    const spmm_status_t status = spmmi_parts_set_values(cuda->parts, cuda->values, stream);
    return status == SPMM_OK ? SPMM_OK : part_failed(status, "giving the parts new values", diag);
}

/* Ones of this type: a spmmi_upload_fill. */
static void ones_fill(const void *dtype, uint64_t first, uint64_t count, void *to)
{
    (void)first;
    for (uint64_t q = 0; q < count; q++)
        spmmi_value_store(to, *(const spmm_dtype_t *)dtype, (int64_t)q, 1);
}

/* Are there first values? Ones where the options say so, else those of the plan. */
static int has_values(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones)
{
    return !cuda->device.lacks_values && (plan->values != NULL || are_ones);
}

/* The first values go with the tables of a part, if one sends some. */
static void values_add(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones,
                       struct spmmi_uploads *waiting)
{
    if (has_values(cuda, plan, are_ones))
        spmmi_upload_add(waiting, cuda->values, cuda->nnz, spmm_dtype_size(cuda->dtype),
                         are_ones ? ones_fill : NULL, are_ones ? &cuda->dtype : plan->values);
}

/* Does a value of this piece differ from the next one? */
static int differs(const void *plan, uint64_t index, int thread)
{
    const spmm_plan_t *const p = plan;
    const int64_t begin = (int64_t)index * PIECE_VALUES, end = spmmi_piece_end(p->nnz, PIECE_VALUES, index);
    const void *const values = (const char *)p->values + (size_t)begin * spmm_dtype_size(p->dtype);
    (void)thread;
    return !spmmi_values_are_equal(values, p->dtype, (end < p->nnz ? end + 1 : end) - begin);
}

/* Are all values the same? Of none they are not. */
static int are_uniform(const spmm_plan_t *plan)
{
    const uint64_t pieces = spmmi_pieces(plan->nnz, PIECE_VALUES);
    const int threads = spmmi_pack_threads((uint64_t)plan->nnz * spmm_dtype_size(plan->dtype));
    return pieces > 0 && spmmi_first_wrong(pieces, threads, differs, plan) == pieces;
}

/* All parts are there; the values are still in the list if none of them sent it. */
static spmm_status_t values_finish(struct spmmi_cuda *cuda, const spmm_plan_t *plan, int are_ones,
                                   struct spmmi_uploads *waiting, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (!has_values(cuda, plan, are_ones))
        return SPMM_OK;
    SPMM_TRY(spmmi_cuda_upload_all(waiting, diag));
    SPMM_TRY(give_values(cuda, NULL, diag));
    cuda->is_uniform = !are_ones && are_uniform(plan);
    if (cuda->is_uniform)
        cuda->value = spmmi_value_load(plan->values, cuda->dtype, 0);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_cuda **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_uploads waiting = {.count = 0};
    const char *suffix;
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    *out = NULL;
    SPMM_TRY_ALLOC(cuda, diag);
    SPMM_TRY(open(plan, device, options, cuda, &suffix, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(device, &scope), diag);
    SPMM_TRY(spmmi_device_memory_open(options->allocator, device, &cuda->device.memory, diag));
    cuda->device.memory.count = &cuda->count;
    arena.bytes = cuda->memory_bytes;
    SPMM_TRY(spmmi_arena_take(&arena, &cuda->device.memory, &cuda->block, diag));
    cuda->device.values = cuda->values = cuda->block.memory;
    values_add(cuda, plan, options->unit_values, &waiting);
    SPMM_TRY(spmmi_parts_load(cuda->parts, plan, &cuda->device, suffix, &waiting, &cuda->memory_bytes, diag));
    SPMM_TRY(values_finish(cuda, plan, options->unit_values, &waiting, diag));
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag);
    *out = cuda;
    cuda = NULL;
cleanup:
    spmmi_cuda_destroy(cuda);
    spmmi_cuda_leave(scope);
    return status;
}

void spmmi_cuda_destroy(struct spmmi_cuda *cuda)
{
    if (cuda == NULL)
        return;
    spmmi_parts_destroy(cuda->parts);
    spmmi_device_release(&cuda->block);
    spmmi_free(cuda);
}

struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda)
{
    return (struct spmmi_cuda_bytes){cuda->count.held, cuda->count.peak,
                                     spmmi_pool_bytes(cuda->device.number)};
}

const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda)
{
    return cuda->parts;
}

const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda)
{
    return &cuda->device.memory;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    if (bytes == 0)
        goto cleanup;
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    cuda->is_uniform = 0;
    SPMM_TRY_CUDA(cudaMemcpyAsync(cuda->values, values, bytes, cudaMemcpyDefault, stream), diag);
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

spmm_status_t spmmi_cuda_values_read(const struct spmmi_cuda *cuda, void *values, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    if (cuda->device.lacks_values) {
        ones_fill(&cuda->dtype, 0, cuda->nnz, values);
        return SPMM_OK;
    }
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device.number, &scope), diag);
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag);
    if (bytes > 0)
        SPMM_TRY_CUDA(cudaMemcpy(values, cuda->values, bytes, cudaMemcpyDeviceToHost), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    return part->backend->workspace(part->state, product);
}

/* A graph may be replayed after new values were set: what is captured reads them. An error, as of the legacy stream
 * while another one is captured, counts as capture. */
static int is_captured(void *stream)
{
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &capture) == cudaSuccess)
        return capture != cudaStreamCaptureStatusNone;
    (void)cudaGetLastError();
    return 1;
}

spmm_status_t spmmi_cuda_execute(const struct spmmi_cuda *cuda, int variant,
                                 const struct spmmi_product *product, void *workspace, void *stream,
                                 spmm_diag_t *diag)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    struct spmmi_product run = *product;
    struct spmmi_cuda_scope scope;
    spmm_status_t status = spmmi_cuda_status((int)spmmi_cuda_enter(cuda->device.number, &scope));
    if (status == SPMM_OK && cuda->is_uniform) {
        run.a_is_uniform = !is_captured(stream);
        run.a_value = cuda->value;
    }
    if (status == SPMM_OK)
        status = part->backend->run(part->state, &run, workspace, stream);
    spmmi_cuda_leave(scope);
    return status == SPMM_OK ? SPMM_OK : part_failed(status, "the launch of a product", diag);
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    part->backend->describe(part->state, product, text, size);
}
