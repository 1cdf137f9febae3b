/* SPDX-License-Identifier: Apache-2.0 */
/* A product on a GPU: holds its stages and the permutations of values in device memory, and launches its
 * kernels. */
#include <cuda_runtime_api.h>

#include "executor/cuda/cuda_backend.h"
#include "executor/cuda/cuda_call.h"
#include "executor/cuda/cuda_memory.h"
#include "executor/cuda/cuda_upload.h"
#include "executor/spgemm/spgemm_gpu.h"
#include "format/base/alloc.h"
#include "spgemm_limits.h"
#include "spgemm_stage_cuda.h"

#define OVERLAP_TARGET 90u
#define OVERLAP_DRIVER \
    12030 /* CUDA 12.3: graphs can hold kernels that start before their predecessor in the stream has ended */

struct spmmi_spgemm_gpu {
    struct spmmi_device_memory memory; /* source of all blocks */
    int device, stage_count;
    spmm_dtype_t dtype;
    int can_overlap; /* a kernel may start before its predecessor in the stream has ended */
    uint64_t bytes;  /* of the device */
    struct spmmi_spgemm_gpu_stage stages[SPMMI_SPGEMM_TASKS];
    struct spmmi_device_block maps[SPMMI_SPGEMM_FACTORS]; /* none: the factor is not a transpose */
    uint32_t map_entries[SPMMI_SPGEMM_FACTORS];
};

/* Uploads the permutation of values of a transposed factor. 32 bits suffice, because factors have at most
 * 2^31 - 1 entries. */
static spmm_status_t make_map(const struct spmmi_spgemm_gpu_source *source, struct spmmi_spgemm_gpu *gpu,
                              int factor, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_factor *f = &source->tasks->factors[factor];
    const int64_t entries = f->pattern.row_ptr != NULL ? f->pattern.row_ptr[f->pattern.rows] : 0;
    uint32_t *map = NULL;
    if (f->map == NULL || entries == 0)
        return SPMM_OK;
    SPMM_TRY(spmmi_spgemm_budget(source->device_left, gpu->bytes, (uint64_t)entries * sizeof *map, diag));
    SPMM_TRY_ALLOC(map = spmmi_alloc((uint64_t)entries, sizeof *map), diag);
    for (int64_t q = 0; q < entries; q++)
        map[q] = (uint32_t)f->map[q];
    SPMM_TRY(
        spmmi_device_take(&gpu->memory, (uint64_t)entries * sizeof *map, NULL, &gpu->maps[factor], diag));
    SPMM_TRY(spmmi_cuda_copy_up(gpu->maps[factor].memory, map, (uint64_t)entries, sizeof *map, diag));
    gpu->map_entries[factor] = (uint32_t)entries;
    gpu->bytes += (uint64_t)entries * sizeof *map;
cleanup:
    spmmi_free(map);
    return status;
}

spmm_status_t spmmi_spgemm_can_overlap(int device, int *can_overlap, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int driver = 0;
    SPMM_TRY_CUDA(cudaDriverGetVersion(&driver), diag);
    *can_overlap = spmmi_cuda_target(device) >= OVERLAP_TARGET && driver >= OVERLAP_DRIVER;
cleanup:
    return status;
}

static spmm_status_t open_device(const struct spmmi_spgemm_gpu_source *source, struct spmmi_spgemm_gpu *gpu,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint32_t target = spmmi_cuda_target(source->device);
    SPMM_REQUIRE(spmmi_cuda_device_runs(source->device), SPMM_ERR_NO_DEVICE, diag,
                 "this build has no kernels for GPU %d of compute capability %u.%u", source->device,
                 target / 10, target % 10);
    SPMM_TRY(spmmi_spgemm_can_overlap(source->device, &gpu->can_overlap, diag));
    SPMM_TRY(spmmi_device_memory_open(source->allocator, source->device, &gpu->memory, diag));
    gpu->device = source->device;
    gpu->dtype = source->dtype;
cleanup:
    return status;
}

static spmm_status_t make_stages(const struct spmmi_spgemm_gpu_source *source, struct spmmi_spgemm_gpu *gpu,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int s = 0; s < source->tasks->count; s++) {
        struct spmmi_spgemm_gpu_stage *stage = &gpu->stages[gpu->stage_count++];
        SPMM_TRY(spmmi_spgemm_gpu_stage_make(source, s, &gpu->memory, gpu->bytes, stage, diag));
        gpu->bytes += stage->bytes;
    }
    for (int f = 0; f < (int)SPMMI_SPGEMM_FACTORS; f++)
        SPMM_TRY(make_map(source, gpu, f, diag));
cleanup:
    return status;
}

static void free_stages(struct spmmi_spgemm_gpu *gpu)
{
    for (int s = 0; s < gpu->stage_count; s++)
        spmmi_spgemm_gpu_stage_free(&gpu->stages[s]);
    for (int f = 0; f < (int)SPMMI_SPGEMM_FACTORS; f++)
        spmmi_device_release(&gpu->maps[f]);
    gpu->stage_count = 0;
    gpu->bytes = 0;
}

/* Makes the stages by rule. If a budget refuses them, tries the smaller kernels in turn: positions need less
 * than everything that the rule adds to them. If none fits, the diagnostic is the one of the rule. */
static spmm_status_t make_stages_that_fit(const struct spmmi_spgemm_gpu_source *source,
                                          struct spmmi_spgemm_gpu *gpu, spmm_diag_t *diag)
{
    static const char *const smaller[] = {SPMMI_SPGEMM_KERNEL_POSITIONS, SPMMI_SPGEMM_KERNEL_COLUMNS};
    struct spmmi_spgemm_gpu_source other = *source;
    spmm_status_t status = make_stages(source, gpu, diag);
    if (source->kernel != NULL)
        return status;
    for (size_t k = 0; k < sizeof smaller / sizeof *smaller && status == SPMM_ERR_PLAN_BUDGET; k++) {
        spmm_diag_t own = {.status = SPMM_OK};
        free_stages(gpu);
        other.kernel = smaller[k];
        status = make_stages(&other, gpu, &own);
        if (status != SPMM_ERR_PLAN_BUDGET && diag != NULL)
            *diag = own;
    }
    return status;
}

spmm_status_t spmmi_spgemm_gpu_create(const struct spmmi_spgemm_gpu_source *source,
                                      struct spmmi_spgemm_gpu **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_spgemm_gpu *gpu = spmmi_alloc_zero(1, sizeof *gpu);
    *out = NULL;
    SPMM_TRY_ALLOC(gpu, diag);
    SPMM_TRY(open_device(source, gpu, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(source->device, &scope), diag);
    SPMM_TRY(make_stages_that_fit(source, gpu, diag));
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag); /* so that streams need not wait for the copies */
    *out = gpu;
    gpu = NULL;
cleanup:
    spmmi_spgemm_gpu_free(gpu);
    spmmi_cuda_leave(scope);
    return status;
}

void spmmi_spgemm_gpu_free(struct spmmi_spgemm_gpu *gpu)
{
    if (gpu == NULL)
        return;
    free_stages(gpu);
    spmmi_free(gpu);
}

uint64_t spmmi_spgemm_gpu_bytes(const struct spmmi_spgemm_gpu *gpu)
{
    return gpu->bytes;
}

const char *spmmi_spgemm_gpu_kernel(const struct spmmi_spgemm_gpu *gpu)
{
    return gpu->stages[gpu->stage_count - 1].kernel;
}

uint64_t spmmi_spgemm_gpu_partials(const struct spmmi_spgemm_gpu *gpu, int stage)
{
    return gpu->stages[stage].partials + gpu->stages[stage].longs.tables.stretch_count;
}

/* Launches the kernels of a stage. The first kernel of a call must not start early, because the library does
 * not know which kernels precede it. */
static int run_stage(const struct spmmi_spgemm_gpu *gpu, const struct spmmi_spgemm_gpu_stage *stage,
                     const struct spmmi_spgemm_values *v, void *stream)
{
    const struct spmmi_spgemm_operands operands = {.left = v->left,
                                                   .right = v->right,
                                                   .diagonal = v->diagonal,
                                                   .c = v->c,
                                                   .partials = v->partials,
                                                   .stretches = (char *)v->partials +
                                                                stage->partials * spmm_dtype_size(gpu->dtype),
                                                   .alpha = v->alpha,
                                                   .beta = v->beta,
                                                   .is_f64 = gpu->dtype == SPMM_F64};
    int error = cudaSuccess;
    if (stage->longs.tables.count > 0)
        error = spmmi_spgemm_long_cuda(&stage->longs.tables, &operands, stream);
    int is_dependent = gpu->can_overlap && stage->longs.tables.count > 0;
    if (error == cudaSuccess && stage->columns.memory.memory != NULL)
        error =
            spmmi_spgemm_gpu_columns_run(&stage->columns, &operands, gpu->can_overlap, is_dependent, stream);
    /* Pulls go first, because one lane may have to add a long list. */
    if (error == cudaSuccess && stage->tables.pull_count > 0) {
        error = spmmi_spgemm_pull_cuda(&stage->tables, &operands, is_dependent, stream);
        is_dependent = gpu->can_overlap;
    }
    if (error == cudaSuccess && stage->bins.blocks > 0) {
        /* Where kernels overlap, only the first one is not dependent. */
        error = spmmi_spgemm_numeric_cuda(&stage->tables, &stage->bins, &operands, is_dependent,
                                          gpu->can_overlap && !is_dependent, stream);
        is_dependent = gpu->can_overlap;
    }
    for (uint32_t b = 0; b < stage->mask_count && error == cudaSuccess; b++) {
        error = spmmi_spgemm_masks_cuda(&stage->tables, &stage->masks[b], &operands, is_dependent, stream);
        is_dependent = gpu->can_overlap;
    }
    /* In ascending order of their items: a few items, each with a long list, end while many others run. */
    for (uint32_t g = 0; g < stage->group_count && error == cudaSuccess; g++) {
        error = spmmi_spgemm_groups_cuda(&stage->tables, &stage->groups[g], &operands, is_dependent, stream);
        is_dependent = gpu->can_overlap;
    }
    if (error == cudaSuccess && stage->tables.join_count + stage->longs.tables.count > 0)
        error =
            spmmi_spgemm_join_cuda(&stage->tables, &stage->longs.tables, &operands, gpu->can_overlap, stream);
    return error;
}

spmm_status_t spmmi_spgemm_gpu_run(const struct spmmi_spgemm_gpu *gpu, int stage,
                                   const struct spmmi_spgemm_values *values, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    SPMM_TRY_CUDA(spmmi_cuda_enter(gpu->device, &scope), diag);
    SPMM_TRY_CUDA((cudaError_t)run_stage(gpu, &gpu->stages[stage], values, stream), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

spmm_status_t spmmi_spgemm_gpu_gather(const struct spmmi_spgemm_gpu *gpu, uint32_t factor, const void *from,
                                      void *to, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    const uint32_t entries = gpu->map_entries[factor];
    if (entries == 0)
        return SPMM_OK;
    SPMM_TRY_CUDA(spmmi_cuda_enter(gpu->device, &scope), diag);
    SPMM_TRY_CUDA((cudaError_t)spmmi_spgemm_gather_cuda(entries, spmm_dtype_size(gpu->dtype),
                                                        gpu->maps[factor].memory, from, to, stream),
                  diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

spmm_status_t spmmi_spgemm_gpu_scale(const struct spmmi_spgemm_gpu *gpu, int64_t count, double beta, void *c,
                                     void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    SPMM_TRY_CUDA(spmmi_cuda_enter(gpu->device, &scope), diag);
    SPMM_TRY_CUDA(
        (cudaError_t)spmmi_spgemm_scale_cuda((uint64_t)count, gpu->dtype == SPMM_F64, beta, c, stream), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}

spmm_status_t spmmi_spgemm_gpu_copy(const struct spmmi_spgemm_gpu *gpu, const void *from, void *to,
                                    uint64_t bytes, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_cuda_scope scope = {-1};
    SPMM_TRY_CUDA(spmmi_cuda_enter(gpu->device, &scope), diag);
    SPMM_TRY_CUDA(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDefault, stream), diag);
    SPMM_TRY_CUDA(cudaStreamSynchronize(stream), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}
