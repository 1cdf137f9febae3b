/* SPDX-License-Identifier: Apache-2.0 */
/* An executor on a GPU: its device, the values of A, and the parts that it runs. Parts that no product can
 * reach take no memory. */
#include "cuda_backend.h"

#include <cuda_runtime_api.h>
#include <sys/random.h>

#include "cuda_call.h"
#include "cuda_parts.h"
#include "cuda_pool.h"
#include "cuda_state.h"
#include "format/base/alloc.h"
#include "format/family.h"

#define GRAPH_DRIVER \
    12030 /* CUDA 12.3: graphs support kernels that start before their predecessor has ended */

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

/* Draws the random tag of struct spmmi_device. Requests of up to 256 bytes are never short or interrupted. */
static spmm_status_t draw_random(uint64_t *random, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(getrandom(random, sizeof *random, 0) == sizeof *random, SPMM_ERR_INTERNAL, diag,
                 "the system gives no random numbers");
cleanup:
    return status;
}

/* Refuses plans that no GPU runs, whatever their parts. */
static spmm_status_t plan_check(const spmm_plan_t *plan, const struct spmmi_parts *parts, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t most = INT32_MAX - (int64_t)SPMMI_VALUES_PAD;
    SPMM_REQUIRE(plan->features_exec == 0, SPMM_ERR_PLAN_FEATURE, diag,
                 "the plan uses execution features 0x%llx that this library knows on the CPU only",
                 (unsigned long long)plan->features_exec);
    SPMM_REQUIRE(plan->nnz <= most, SPMM_ERR_TOO_LARGE, diag,
                 "GPU kernels support at most %d nonzeros, the plan has %lld", (int)most,
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

/* Does everything that needs no device memory: queries the device and chooses the parts. */
static spmm_status_t open(const spmm_plan_t *plan, int number, const spmm_executor_options_t *options,
                          struct spmmi_first_values first, struct spmmi_cuda *cuda, const char **suffix,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(read_device(number, &cuda->device, diag));
    SPMM_TRY(draw_random(&cuda->device.random, diag));
    SPMM_TRY(spmmi_cuda_parts_choose(plan, &cuda->device, options->force_kernel, &cuda->parts, suffix, diag));
    SPMM_TRY(plan_check(plan, cuda->parts, diag));
    cuda->device.spares_host = options->host_budget_bytes != 0;
    cuda->device.spares_device = options->device_budget_bytes != 0;
    cuda->dtype = plan->dtype;
    cuda->nnz = (uint32_t)plan->nnz;
    cuda->first = first;
    cuda->parts->n_max = options->force_kernel == NULL ? options->n_max : 0;
    spmmi_cuda_values_plan(cuda, options);
cleanup:
    return status;
}

/* Adds the memory of the values in the order of A and of all parts. */
static spmm_status_t needs_add(struct spmmi_cuda *cuda, const spmm_plan_t *plan, const char *suffix,
                               struct spmmi_needs *needs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t values = spmmi_cuda_values_bytes(cuda);
    needs->host += sizeof *cuda + spmmi_parts_bytes(plan);
    needs->for_values.device += cuda->takes_values ? values : 0;
    SPMM_TRY(spmmi_parts_count(cuda->parts, plan, &cuda->device, suffix, needs, diag));
    if (spmmi_cuda_keeps_values(cuda)) {
        needs->device += values;
        needs->for_values.device -= values;
    }
    needs->host += spmmi_upload_scratch(needs->device + needs->for_values.device);
    if (cuda->maps == SPMMI_MAPS_ON_DEVICE) {
        needs->device += needs->for_values.device;
        needs->for_values.device = 0;
    }
    needs->host += needs->for_values.host; /* all maps exist until the first values have been sent */
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_needs(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                               struct spmmi_first_values first, struct spmmi_needs *needs, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda cuda = {.parts = NULL};
    const char *suffix;
    SPMM_TRY(open(plan, device, options, first, &cuda, &suffix, diag));
    SPMM_TRY(needs_add(&cuda, plan, suffix, needs, diag));
cleanup:
    spmmi_parts_destroy(cuda.parts);
    return status;
}

/* Allocates device memory and fills it. */
static spmm_status_t fill(struct spmmi_cuda *cuda, const spmm_plan_t *plan,
                          const spmm_executor_options_t *options, const char *suffix, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_uploads waiting = {.count = 0};
    uint64_t bytes = 0;
    SPMM_TRY(spmmi_cuda_values_take(cuda, plan, options->unit_values, &waiting, diag));
    SPMM_TRY(spmmi_parts_load(cuda->parts, plan, &cuda->device, suffix, &waiting, &bytes, diag));
    SPMM_TRY(spmmi_cuda_values_finish(cuda, &waiting, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const spmm_executor_options_t *options,
                                struct spmmi_first_values first, struct spmmi_cuda **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const char *suffix;
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    *out = NULL;
    SPMM_TRY_ALLOC(cuda, diag);
    (void)pthread_mutex_init(&cuda->opening, NULL);
    SPMM_TRY(open(plan, device, options, first, cuda, &suffix, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(device, &scope), diag);
    SPMM_TRY(spmmi_device_memory_open(options->allocator, device, &cuda->device.memory, diag));
    cuda->device.memory.count = &cuda->count;
    cuda->device.memory.budget = options->device_budget_bytes;
    SPMM_TRY(fill(cuda, plan, options, suffix, diag));
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
    spmmi_cuda_values_destroy(cuda);
    spmmi_free(cuda);
}

struct spmmi_cuda_bytes spmmi_cuda_bytes(const struct spmmi_cuda *cuda)
{
    return (struct spmmi_cuda_bytes){cuda->count.held, cuda->count.peak,
                                     spmmi_pool_bytes(cuda->device.number), atomic_load(&cuda->host_bytes)};
}

const struct spmmi_parts *spmmi_cuda_parts(const struct spmmi_cuda *cuda)
{
    return cuda->parts;
}

const struct spmmi_device_memory *spmmi_cuda_memory(const struct spmmi_cuda *cuda)
{
    return &cuda->device.memory;
}

uint64_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, int variant,
                                    const struct spmmi_product *product)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    return part->backend->workspace(part->state, product);
}

/* Runs a product while all values of A are equal. A graph may be replayed after new values were set, so
 * captured products read the values. A part that holds no values cannot: once a product of it was captured,
 * new values are refused. */
static spmm_status_t run_uniform(struct spmmi_cuda *cuda, const struct spmmi_loaded *part,
                                 const struct spmmi_product *product, void *workspace, void *stream)
{
    const int is_lacking = cuda->device.lacks_values && part->backend->may_lack_values;
    const enum cudaStreamCaptureStatus capture = spmmi_cuda_capture(stream);
    struct spmmi_product run = *product;
    run.a_is_uniform = is_lacking || capture == cudaStreamCaptureStatusNone;
    run.a_value = cuda->value;
    const spmm_status_t status = part->backend->run(part->state, &run, workspace, stream);
    if (status == SPMM_OK && is_lacking && capture == cudaStreamCaptureStatusActive)
        atomic_store(&cuda->was_captured, 1);
    return status;
}

spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                                 void *workspace, void *stream, spmm_diag_t *diag)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    struct spmmi_cuda_scope scope;
    spmm_status_t status = spmmi_cuda_status((int)spmmi_cuda_enter(cuda->device.number, &scope));
    if (status == SPMM_OK)
        status = cuda->is_uniform ? run_uniform(cuda, part, product, workspace, stream)
                                  : part->backend->run(part->state, product, workspace, stream);
    spmmi_cuda_leave(scope);
    return status == SPMM_OK ? SPMM_OK : spmmi_cuda_part_failed(status, "the launch of a product", diag);
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, int variant, const struct spmmi_product *product,
                       char *text, size_t size)
{
    const struct spmmi_loaded *part = spmmi_parts_for(cuda->parts, variant, product);
    part->backend->describe(part->state, product, text, size);
}
