/* SPDX-License-Identifier: Apache-2.0 */
/* The life of an executor on a GPU, and its values. Its device memory is one allocation, cut by struct spmmi_arena,
 * and one for each part of another family than rows. Parts that no product can reach have none. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "cuda_arena.h"
#include "cuda_call.h"
#include "cuda_state.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"

static int has_op(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].op == op)
            return 1;
    }
    return 0;
}

static int uses_rows_part(const struct spmmi_cuda *cuda, spmm_op_t op)
{
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (cuda->part_is_used[i] && cuda->parts[i].op == op && cuda->parts[i].family == SPMM_FAMILY_ROWS)
            return 1;
    }
    return 0;
}

static uint32_t ranks_of(int64_t rows, const int64_t *row_ptr)
{
    uint32_t ranks = 0;
    for (int64_t i = 0; i < rows; i++)
        ranks += row_ptr[i] < row_ptr[i + 1];
    return ranks;
}

/* Device addresses of one op; sizes follow from the figures in operand->stream alone. */
static void cut_operand(struct spmmi_arena *arena, struct spmmi_operand *operand, size_t number_bytes,
                        spmm_op_t op)
{
    struct spmmi_stream *s = &operand->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD;
    operand->values = spmmi_arena_cut(arena, padded, number_bytes);
    s->values = operand->values;
    if (!operand->is_used)
        return;
    s->columns = spmmi_arena_cut(arena, padded, sizeof *s->columns);
    s->rank_start = spmmi_arena_cut(arena, (uint64_t)s->ranks + 1, sizeof *s->rank_start);
    if (s->empty_count > 0) {
        s->row_of_rank = spmmi_arena_cut(arena, (uint64_t)s->ranks + 1, sizeof *s->row_of_rank);
        s->empty_rows = spmmi_arena_cut(arena, s->empty_count, sizeof *s->empty_rows);
    }
    if (op == SPMM_OP_T)
        operand->map = spmmi_arena_cut(arena, s->nnz, sizeof *operand->map);
}

static void cut_part(struct spmmi_arena *arena, const struct spmmi_part *part,
                     struct spmmi_stream_items *items)
{
    items->item_count = (uint32_t)part->item_count;
    items->granule = part->granule;
    items->item_rank = spmmi_arena_cut(arena, part->item_count + 1, sizeof *items->item_rank);
    if (part->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        items->item_start = spmmi_arena_cut(arena, part->item_count + 1, sizeof *items->item_start);
}

/* Lay out everything: counting (base NULL) and cutting are the same walk. */
static void cut_all(struct spmmi_arena *arena, struct spmmi_cuda *cuda)
{
    const size_t number_bytes = spmm_dtype_size(cuda->dtype);
    uint64_t arrivals = 0;
    for (int op = 0; op < SPMMI_OP_COUNT; op++) {
        if (op == SPMM_OP_N || cuda->operands[op].is_used)
            cut_operand(arena, &cuda->operands[op], number_bytes, (spmm_op_t)op);
    }
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (!cuda->part_is_used[i] || cuda->parts[i].family != SPMM_FAMILY_ROWS)
            continue;
        cut_part(arena, &cuda->parts[i], &cuda->items[i]);
        for (int grid = 0; grid < SPMMI_ROWS_GRIDS && cuda->parts[i].schedule == SPMM_SCHEDULE_NONZERO_SPLIT;
             grid++) {
            const uint64_t count = spmmi_rows_block_count(cuda->nnz, cuda->parts[i].granule, cuda->dtype,
                                                          grid, cuda->figures.sm_count);
            cuda->blocks[i][grid] = spmmi_arena_cut(arena, count + 1, sizeof *cuda->blocks[i][grid]);
            arrivals = count * SPMMI_ROWS_TILES_MAX > arrivals ? count * SPMMI_ROWS_TILES_MAX : arrivals;
        }
    }
    cuda->arrivals = spmmi_arena_cut(arena, arrivals, sizeof *cuda->arrivals);
}

/* The figures of the plan that sizes and launches depend on; a forced kernel is settled. */
static spmm_status_t describe(const spmm_plan_t *plan, struct spmmi_cuda *cuda, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(plan->features_exec == 0, SPMM_ERR_PLAN_FEATURE, diag,
                 "the plan uses execution features 0x%llx that this library knows on the CPU only",
                 (unsigned long long)plan->features_exec);
    SPMM_REQUIRE(plan->nnz <= INT32_MAX - (int64_t)SPMMI_STREAM_PAD, SPMM_ERR_TOO_LARGE, diag,
                 "the GPU kernels hold up to %d nonzeros, the plan has %lld",
                 INT32_MAX - (int)SPMMI_STREAM_PAD, (long long)plan->nnz);
    cuda->dtype = plan->dtype;
    cuda->nnz = (uint32_t)plan->nnz;
    cuda->part_count = plan->part_count;
    memcpy(cuda->variants, plan->variants, sizeof cuda->variants);
    memcpy(cuda->parts, plan->parts, sizeof cuda->parts);
    for (uint32_t i = 0; i < cuda->part_count; i++)
        cuda->parts[i].items = NULL;
    for (uint32_t i = 0; i < plan->variant_count; i++)
        cuda->part_is_used[spmmi_cuda_part_of(cuda, (int)i, plan->variants[i].op)] = 1;
    for (int op = 0; op < SPMMI_OP_COUNT; op++) {
        struct spmmi_operand *operand = &cuda->operands[op];
        operand->is_used = uses_rows_part(cuda, (spmm_op_t)op);
        operand->rows = op == SPMM_OP_N ? plan->rows : plan->cols;
        operand->cols = op == SPMM_OP_N ? plan->cols : plan->rows;
        operand->stream.nnz = cuda->nnz;
    }
    cuda->operands[SPMM_OP_N].stream.ranks = ranks_of(plan->rows, plan->row_ptr);
    cuda->operands[SPMM_OP_N].stream.empty_count =
        (uint32_t)plan->rows - cuda->operands[SPMM_OP_N].stream.ranks;
    cuda->operands[SPMM_OP_T].stream.ranks = (uint32_t)(plan->cols - plan->stats.cols_empty);
    cuda->operands[SPMM_OP_T].stream.empty_count = (uint32_t)plan->stats.cols_empty;
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (cuda->part_is_used[i] && plan->parts[i].family == SPMM_FAMILY_ROWS)
            SPMM_REQUIRE(plan->dtype == SPMM_F32 || plan->dtype == SPMM_F64, SPMM_ERR_UNSUPPORTED, diag,
                         "the GPU kernels of family rows have no type %s", spmm_dtype_name(plan->dtype));
    }
cleanup:
    return status;
}

static spmm_status_t read_device(struct spmmi_cuda *cuda, int device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int sm_count = 0;
    SPMM_REQUIRE(device >= 0 && device < spmmi_cuda_device_count(), SPMM_ERR_NO_DEVICE, diag,
                 "there is no GPU %d: %d found", device, spmmi_cuda_device_count());
    SPMM_REQUIRE(spmmi_cuda_device_runs(device), SPMM_ERR_NO_DEVICE, diag,
                 "this build has no kernels for GPU %d of compute capability %u.%u", device,
                 spmmi_cuda_target(device) / 10, spmmi_cuda_target(device) % 10);
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device), diag);
    cuda->device = device;
    cuda->figures.sm_count = (uint32_t)sm_count;
    cuda->figures.can_overlap = spmmi_cuda_target(device) >= 90;
cleanup:
    return status;
}

static int has_part(const spmm_plan_t *plan, spmm_op_t op, const struct spmmi_cuda_name *name)
{
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].op == op && spmmi_cuda_is_named(name, &plan->parts[i]))
            return 1;
    }
    return 0;
}

/* Would the forced kernel run a variant with another part, where either leaves C in an order of its own? */
static int reorders(const spmm_plan_t *plan, const struct spmmi_cuda_name *forced)
{
    uint32_t flags = 0;
    int is_replaced = 0;
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_part *own = &plan->parts[plan->variants[i].part_first];
        is_replaced |= !spmmi_cuda_is_named(forced, own);
        flags |= own->flags;
    }
    for (uint32_t i = 0; i < plan->part_count; i++)
        flags |= spmmi_cuda_is_named(forced, &plan->parts[i]) ? plan->parts[i].flags : 0;
    return is_replaced && (flags & SPMMI_PART_PERMUTES_OUTPUT) != 0;
}

/* A forced kernel runs on the plan's own partition: the plan must hold one for every op. */
static spmm_status_t force(struct spmmi_cuda *cuda, const spmm_plan_t *plan, const char *force_kernel,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (force_kernel == NULL)
        goto cleanup;
    cuda->forced = spmmi_cuda_name_of(force_kernel);
    SPMM_REQUIRE(cuda->forced.schedule != 0, SPMM_ERR_ARGUMENT, diag, "there is no GPU kernel named %.60s",
                 force_kernel);
    for (int op = 0; op < SPMMI_OP_COUNT; op++)
        SPMM_REQUIRE(!has_op(plan, (spmm_op_t)op) || has_part(plan, (spmm_op_t)op, &cuda->forced),
                     SPMM_ERR_ARGUMENT, diag,
                     "the plan has no part for %.60s and op %s: inspect with that schedule", force_kernel,
                     spmm_op_name((spmm_op_t)op));
    SPMM_REQUIRE(!reorders(plan, &cuda->forced), SPMM_ERR_ARGUMENT, diag,
                 "the plan leaves C in an order of its own, which \"%.60s\" would change", force_kernel);
cleanup:
    return status;
}

/* The parts that are packed copies of A: all but those of the rows family. */
static spmm_status_t packed_create(struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (!cuda->part_is_used[i] || cuda->parts[i].family == SPMM_FAMILY_ROWS)
            continue;
        if (cuda->parts[i].family == SPMM_FAMILY_TILED)
            SPMM_TRY(spmmi_cuda_tiled_create(plan, i, cuda->forced.register_tile, &cuda->tiled[i], diag));
        else
            SPMM_TRY(spmmi_cuda_fragments_create(plan, i, cuda->device, &cuda->figures, &cuda->fragments[i],
                                                 diag));
        cuda->memory_bytes += cuda->tiled[i].memory_bytes + cuda->fragments[i].memory_bytes;
    }
cleanup:
    return status;
}

static spmm_status_t packed_bytes(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, uint32_t part,
                                  uint64_t *bytes, spmm_diag_t *diag)
{
    *bytes = 0;
    if (!cuda->part_is_used[part] || cuda->parts[part].family == SPMM_FAMILY_ROWS)
        return SPMM_OK;
    return cuda->parts[part].family == SPMM_FAMILY_TILED
               ? spmmi_cuda_tiled_bytes(plan, part, bytes, diag)
               : spmmi_cuda_fragments_bytes(plan, part, &cuda->figures, bytes, diag);
}

spmm_status_t spmmi_cuda_memory_bytes(const spmm_plan_t *plan, int device, const char *force_kernel,
                                      uint64_t *device_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    SPMM_TRY_ALLOC(cuda, diag);
    SPMM_TRY(read_device(cuda, device, diag));
    SPMM_TRY(force(cuda, plan, force_kernel, diag));
    SPMM_TRY(describe(plan, cuda, diag));
    cut_all(&arena, cuda);
    *device_bytes = arena.bytes;
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        uint64_t bytes = 0;
        SPMM_TRY(packed_bytes(cuda, plan, i, &bytes, diag));
        *device_bytes += bytes;
    }
cleanup:
    spmmi_free(cuda);
    return status;
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const char *force_kernel,
                                struct spmmi_cuda **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_arena arena = {NULL, 0};
    struct spmmi_cuda_scope scope = {-1};
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    *out = NULL;
    SPMM_TRY_ALLOC(cuda, diag);
    SPMM_TRY(read_device(cuda, device, diag));
    SPMM_TRY_CUDA(spmmi_cuda_enter(device, &scope), diag);
    SPMM_TRY(force(cuda, plan, force_kernel, diag));
    SPMM_TRY(describe(plan, cuda, diag));
    cut_all(&arena, cuda);
    cuda->memory_bytes = arena.bytes;
    SPMM_TRY_CUDA(cudaMalloc((void **)&cuda->memory, (size_t)arena.bytes), diag);
    arena = (struct spmmi_arena){cuda->memory, 0};
    cut_all(&arena, cuda);
    /* Counters start at zero and every launch leaves them so; padding of the values must be finite. */
    SPMM_TRY_CUDA(cudaMemset(cuda->memory, 0, (size_t)cuda->memory_bytes), diag);
    SPMM_TRY(spmmi_cuda_upload(cuda, plan, diag));
    SPMM_TRY(packed_create(cuda, plan, diag));
    if (plan->values != NULL)
        SPMM_TRY(spmmi_cuda_set_values(cuda, plan->values, NULL, diag));
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
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        (void)cudaFree(cuda->tiled[i].memory);
        (void)cudaFree(cuda->fragments[i].memory);
    }
    (void)cudaFree(cuda->memory);
    spmmi_free(cuda);
}

uint64_t spmmi_cuda_device_bytes(const struct spmmi_cuda *cuda)
{
    return cuda->memory_bytes;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct cudaPointerAttributes attributes;
    struct spmmi_cuda_scope scope = {-1};
    const struct spmmi_operand *n = &cuda->operands[SPMM_OP_N];
    const struct spmmi_operand *t = &cuda->operands[SPMM_OP_T];
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    if (bytes == 0)
        goto cleanup;
    SPMM_TRY_CUDA(spmmi_cuda_enter(cuda->device, &scope), diag);
    SPMM_TRY_CUDA(cudaPointerGetAttributes(&attributes, values), diag);
    const int is_host =
        attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
    SPMM_TRY_CUDA(cudaMemcpyAsync(n->values, values, bytes, cudaMemcpyDefault, stream), diag);
    if (t->is_used)
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_gather_cuda((int)cuda->dtype, cuda->nnz, t->map, n->values, t->values, stream),
            diag);
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        const uint32_t *map =
            cuda->tiled[i].memory != NULL ? cuda->tiled[i].value_map : cuda->fragments[i].value_map;
        void *to = cuda->tiled[i].memory != NULL ? cuda->tiled[i].values : cuda->fragments[i].values;
        if (map != NULL)
            SPMM_TRY_CUDA(
                (cudaError_t)spmmi_scatter_cuda((int)cuda->dtype, cuda->nnz, map, n->values, to, stream),
                diag);
        SPMM_TRY_CUDA(
            (cudaError_t)spmmi_cuda_peeled_set_values(&cuda->fragments[i].peeled, n->values, stream), diag);
    }
    if (is_host)
        SPMM_TRY_CUDA(cudaStreamSynchronize(stream), diag);
cleanup:
    spmmi_cuda_leave(scope);
    return status;
}
