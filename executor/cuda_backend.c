/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU side of the executor: device memory of a plan, values, and the launches of a product.
 * All device memory of an executor is one allocation; its parts are cut by struct arena. */
#include "cuda_backend.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "cuda_error.h"
#include "executor/kernel_abi.h"
#include "format/alloc.h"
#include "rows_launch.h"
#include "stream_layout.h"

#define DEVICE_ALIGN 256u
#define OP_COUNT 2

/* op(A) on the device. The values of op = N are kept whenever A has a transposed part: set_values fills
 * them and gathers the others through the map. */
struct operand {
    int is_used; /* a part needs the pattern */
    int64_t rows, cols;
    struct spmmi_stream stream;
    void *values;  /* the same as stream.values, to write */
    uint32_t *map; /* op = T: position in A's order of each nonzero */
};

struct spmmi_cuda {
    int device;
    struct spmmi_rows_device figures;
    spmm_dtype_t dtype;
    uint32_t nnz;
    uint32_t variant_count, part_count;
    struct spmmi_variant variants[SPMMI_VARIANT_MAX];
    struct spmmi_part parts[SPMMI_PART_MAX]; /* without items */
    struct operand operands[OP_COUNT];
    struct spmmi_stream_items items[SPMMI_PART_MAX];
    const struct spmmi_block *blocks[SPMMI_PART_MAX][SPMMI_ROWS_GRIDS]; /* nonzero split */
    spmm_schedule_t forced; /* 0 = the variant's part */
    char *memory;
    uint64_t memory_bytes;
    uint32_t *arrivals;
};

/* Cuts one allocation into aligned pieces; with base NULL it only counts. */
struct arena {
    char *base;
    uint64_t bytes;
};

static void *cut(struct arena *arena, uint64_t count, size_t size)
{
    const uint64_t offset = arena->bytes;
    arena->bytes += (count * size + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
    return arena->base != NULL ? arena->base + offset : NULL;
}

static const struct {
    const char *name;
    spmm_schedule_t schedule;
} catalogue[] = {
    {"cuda/rows/row-split", SPMM_SCHEDULE_ROW_SPLIT},
    {"cuda/rows/nonzero-split", SPMM_SCHEDULE_NONZERO_SPLIT},
};

int spmmi_cuda_kernel_count(void)
{
    return (int)(sizeof catalogue / sizeof catalogue[0]);
}

const char *spmmi_cuda_kernel_name(int index)
{
    return index >= 0 && index < spmmi_cuda_kernel_count() ? catalogue[index].name : NULL;
}

int spmmi_cuda_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

spmm_status_t spmmi_cuda_device_name(int device, char *text, size_t size)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        (void)cudaGetLastError();
        return SPMM_ERR_NO_DEVICE;
    }
    (void)snprintf(text, size, "%s", properties.name);
    return SPMM_OK;
}

uint32_t spmmi_cuda_target(int device)
{
    int major = 0;
    int minor = 0;
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    (void)cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return (uint32_t)(10 * major + minor);
}

/* Host copies of what one op uploads. */
struct staged_operand {
    struct spmmi_stream_host stream;
    int64_t *row_ptr, *map; /* op = T only, owned */
    int32_t *col_ind;
    void *values;
};

static void staged_operand_free(struct staged_operand *staged)
{
    spmmi_stream_host_free(&staged->stream);
    spmmi_free(staged->values);
    spmmi_free(staged->col_ind);
    spmmi_free(staged->map);
    spmmi_free(staged->row_ptr);
    memset(staged, 0, sizeof *staged);
}

static int has_op(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].op == op)
            return 1;
    }
    return 0;
}

static spmm_status_t copy_up(void *device, const void *host, uint64_t count, size_t size, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (count > 0)
        SPMM_TRY_CUDA(cudaMemcpy(device, host, (size_t)count * size, cudaMemcpyHostToDevice), diag);
cleanup:
    return status;
}

static uint32_t ranks_of(int64_t rows, const int64_t *row_ptr)
{
    uint32_t ranks = 0;
    for (int64_t i = 0; i < rows; i++)
        ranks += row_ptr[i] < row_ptr[i + 1];
    return ranks;
}

/* Device addresses of one op; sizes follow from the figures in operand->stream alone. */
static void cut_operand(struct arena *arena, struct operand *operand, size_t number_bytes, spmm_op_t op)
{
    struct spmmi_stream *s = &operand->stream;
    const uint64_t padded = (uint64_t)s->nnz + SPMMI_STREAM_PAD;
    operand->values = cut(arena, padded, number_bytes);
    s->values = operand->values;
    if (!operand->is_used)
        return;
    s->columns = cut(arena, padded, sizeof *s->columns);
    s->rank_start = cut(arena, (uint64_t)s->ranks + 1, sizeof *s->rank_start);
    if (s->empty_count > 0) {
        s->row_of_rank = cut(arena, (uint64_t)s->ranks + 1, sizeof *s->row_of_rank);
        s->empty_rows = cut(arena, s->empty_count, sizeof *s->empty_rows);
    }
    if (op == SPMM_OP_T)
        operand->map = cut(arena, s->nnz, sizeof *operand->map);
}

static uint32_t block_nonzeros(const struct spmmi_cuda *cuda, uint32_t part, int grid)
{
    return spmmi_rows_block_nonzeros(cuda->nnz, cuda->parts[part].granule, cuda->dtype, grid, cuda->figures.sm_count);
}

static uint32_t block_count(const struct spmmi_cuda *cuda, uint32_t part, int grid)
{
    const uint32_t nonzeros = block_nonzeros(cuda, part, grid);
    return (cuda->nnz + nonzeros - 1) / nonzeros;
}

static void cut_part(struct arena *arena, const struct spmmi_part *part, struct spmmi_stream_items *items)
{
    items->item_count = (uint32_t)part->item_count;
    items->granule = part->granule;
    items->item_rank = cut(arena, part->item_count + 1, sizeof *items->item_rank);
    if (part->schedule == SPMM_SCHEDULE_ROW_SPLIT)
        items->item_start = cut(arena, part->item_count + 1, sizeof *items->item_start);
}

/* Lay out everything: counting (base NULL) and cutting are the same walk. */
static void cut_all(struct arena *arena, struct spmmi_cuda *cuda)
{
    const size_t number_bytes = spmm_dtype_size(cuda->dtype);
    uint64_t arrivals = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        if (op == SPMM_OP_N || cuda->operands[op].is_used)
            cut_operand(arena, &cuda->operands[op], number_bytes, (spmm_op_t)op);
    }
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        cut_part(arena, &cuda->parts[i], &cuda->items[i]);
        for (int grid = 0; grid < SPMMI_ROWS_GRIDS && cuda->parts[i].schedule == SPMM_SCHEDULE_NONZERO_SPLIT; grid++) {
            const uint64_t count = block_count(cuda, i, grid);
            cuda->blocks[i][grid] = cut(arena, count + 1, sizeof *cuda->blocks[i][grid]);
            arrivals = count * SPMMI_ROWS_TILES_MAX > arrivals ? count * SPMMI_ROWS_TILES_MAX : arrivals;
        }
    }
    cuda->arrivals = cut(arena, arrivals, sizeof *cuda->arrivals);
}

/* The figures of the plan that sizes and launches depend on. */
static spmm_status_t describe(const spmm_plan_t *plan, struct spmmi_cuda *cuda, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(plan->nnz <= INT32_MAX - (int64_t)SPMMI_STREAM_PAD, SPMM_ERR_TOO_LARGE, diag,
                 "the GPU kernels hold up to %d nonzeros, the plan has %lld", INT32_MAX - (int)SPMMI_STREAM_PAD,
                 (long long)plan->nnz);
    cuda->dtype = plan->dtype;
    cuda->nnz = (uint32_t)plan->nnz;
    cuda->variant_count = plan->variant_count;
    cuda->part_count = plan->part_count;
    memcpy(cuda->variants, plan->variants, sizeof cuda->variants);
    memcpy(cuda->parts, plan->parts, sizeof cuda->parts);
    for (uint32_t i = 0; i < cuda->part_count; i++)
        cuda->parts[i].items = NULL;
    for (int op = 0; op < OP_COUNT; op++) {
        struct operand *operand = &cuda->operands[op];
        operand->is_used = has_op(plan, (spmm_op_t)op);
        operand->rows = op == SPMM_OP_N ? plan->rows : plan->cols;
        operand->cols = op == SPMM_OP_N ? plan->cols : plan->rows;
        operand->stream.nnz = cuda->nnz;
    }
    cuda->operands[SPMM_OP_N].stream.ranks = ranks_of(plan->rows, plan->row_ptr);
    cuda->operands[SPMM_OP_N].stream.empty_count =
        (uint32_t)plan->rows - cuda->operands[SPMM_OP_N].stream.ranks;
    cuda->operands[SPMM_OP_T].stream.ranks = (uint32_t)(plan->cols - plan->stats.cols_empty);
    cuda->operands[SPMM_OP_T].stream.empty_count = (uint32_t)plan->stats.cols_empty;
cleanup:
    return status;
}

static spmm_status_t read_device(struct spmmi_cuda *cuda, int device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int sm_count = 0;
    SPMM_REQUIRE(device >= 0 && device < spmmi_cuda_device_count(), SPMM_ERR_NO_DEVICE, diag,
                 "there is no GPU %d: %d found", device, spmmi_cuda_device_count());
    SPMM_TRY_CUDA(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device), diag);
    cuda->device = device;
    cuda->figures.sm_count = (uint32_t)sm_count;
    cuda->figures.can_overlap = spmmi_cuda_target(device) >= 90;
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_memory_bytes(const spmm_plan_t *plan, int device, uint64_t *device_bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct arena arena = {NULL, 0};
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    SPMM_TRY_ALLOC(cuda, diag);
    SPMM_TRY(read_device(cuda, device, diag));
    SPMM_TRY(describe(plan, cuda, diag));
    cut_all(&arena, cuda);
    *device_bytes = arena.bytes;
cleanup:
    spmmi_free(cuda);
    return status;
}

/* The CSR of op(A): A's own arrays, or a transpose in staged. */
static spmm_status_t stage_pattern(const spmm_plan_t *plan, spmm_op_t op, struct staged_operand *staged,
                                   const int64_t **row_ptr, const int32_t **col_ind, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *row_ptr = plan->row_ptr;
    *col_ind = plan->col_ind;
    if (op == SPMM_OP_N)
        goto cleanup;
    staged->row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *staged->row_ptr);
    SPMM_TRY_ALLOC(staged->row_ptr, diag);
    staged->col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *staged->col_ind);
    SPMM_TRY_ALLOC(staged->col_ind, diag);
    staged->map = spmmi_alloc((uint64_t)plan->nnz, sizeof *staged->map);
    SPMM_TRY_ALLOC(staged->map, diag);
    if (spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, staged->row_ptr, staged->col_ind,
                        staged->map) != SPMM_OK)
        SPMM_FAIL(SPMM_ERR_MEMORY, diag, "out of memory while transposing the pattern");
    *row_ptr = staged->row_ptr;
    *col_ind = staged->col_ind;
cleanup:
    return status;
}

static spmm_status_t upload_map(const struct operand *operand, const int64_t *map, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t *narrow = spmmi_alloc(operand->stream.nnz, sizeof *narrow);
    SPMM_TRY_ALLOC(narrow, diag);
    for (uint32_t q = 0; q < operand->stream.nnz; q++)
        narrow[q] = (uint32_t)map[q];
    SPMM_TRY(copy_up(operand->map, narrow, operand->stream.nnz, sizeof *narrow, diag));
cleanup:
    spmmi_free(narrow);
    return status;
}

static spmm_status_t upload_blocks(const struct spmmi_cuda *cuda, uint32_t part, const struct spmmi_stream_host *stream,
                                   const struct spmmi_items_host *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_block *blocks = NULL;
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint32_t count = block_count(cuda, part, grid);
        blocks = spmmi_alloc((uint64_t)count + 1, sizeof *blocks);
        SPMM_TRY_ALLOC(blocks, diag);
        spmmi_blocks_build(stream, items, cuda->parts[part].granule, block_nonzeros(cuda, part, grid), blocks);
        SPMM_TRY(copy_up((void *)(uintptr_t)cuda->blocks[part][grid], blocks, (uint64_t)count + 1, sizeof *blocks, diag));
        spmmi_free(blocks);
        blocks = NULL;
    }
cleanup:
    spmmi_free(blocks);
    return status;
}

static spmm_status_t upload_items(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_op_t op,
                                  const int64_t *row_ptr, const struct spmmi_stream_host *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_items_host host = {0, NULL, NULL};
    for (uint32_t i = 0; i < plan->part_count; i++) {
        if (plan->parts[i].op != op)
            continue;
        SPMM_TRY(spmmi_items_build(&plan->parts[i], cuda->operands[op].rows, row_ptr, &host, diag));
        SPMM_TRY(copy_up((void *)(uintptr_t)cuda->items[i].item_rank, host.item_rank, host.item_count + 1,
                         sizeof *host.item_rank, diag));
        if (host.item_start != NULL)
            SPMM_TRY(copy_up((void *)(uintptr_t)cuda->items[i].item_start, host.item_start, host.item_count + 1,
                             sizeof *host.item_start, diag));
        else
            SPMM_TRY(upload_blocks(cuda, i, stream, &host, diag));
        spmmi_items_host_free(&host);
    }
cleanup:
    spmmi_items_host_free(&host);
    return status;
}

static spmm_status_t upload_operand(const struct spmmi_cuda *cuda, const spmm_plan_t *plan, spmm_op_t op,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct staged_operand staged;
    memset(&staged, 0, sizeof staged);
    const struct operand *operand = &cuda->operands[op];
    const struct spmmi_stream *s = &operand->stream;
    const int64_t *row_ptr = NULL;
    const int32_t *col_ind = NULL;
    SPMM_TRY(stage_pattern(plan, op, &staged, &row_ptr, &col_ind, diag));
    SPMM_TRY(spmmi_stream_build(operand->rows, row_ptr, col_ind, &staged.stream, diag));
    SPMM_REQUIRE(staged.stream.ranks == s->ranks, SPMM_ERR_INTERNAL, diag,
                 "the stream has %u rows, its statistics said %u", staged.stream.ranks, s->ranks);
    SPMM_TRY(copy_up((void *)(uintptr_t)s->columns, staged.stream.columns, (uint64_t)s->nnz + SPMMI_STREAM_PAD,
                     sizeof *s->columns, diag));
    SPMM_TRY(copy_up((void *)(uintptr_t)s->rank_start, staged.stream.rank_start, (uint64_t)s->ranks + 1,
                     sizeof *s->rank_start, diag));
    if (s->empty_count > 0) {
        SPMM_TRY(copy_up((void *)(uintptr_t)s->row_of_rank, staged.stream.row_of_rank, (uint64_t)s->ranks + 1,
                         sizeof *s->row_of_rank, diag));
        SPMM_TRY(copy_up((void *)(uintptr_t)s->empty_rows, staged.stream.empty_rows, s->empty_count,
                         sizeof *s->empty_rows, diag));
    }
    if (op == SPMM_OP_T)
        SPMM_TRY(upload_map(operand, staged.map, diag));
    SPMM_TRY(upload_items(cuda, plan, op, row_ptr, &staged.stream, diag));
cleanup:
    staged_operand_free(&staged);
    return status;
}

static spmm_status_t force(struct spmmi_cuda *cuda, const char *force_kernel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    if (force_kernel == NULL)
        goto cleanup;
    for (int i = 0; i < spmmi_cuda_kernel_count(); i++) {
        if (strcmp(catalogue[i].name, force_kernel) == 0)
            cuda->forced = catalogue[i].schedule;
    }
    SPMM_REQUIRE(cuda->forced != 0, SPMM_ERR_ARGUMENT, diag, "there is no GPU kernel named %.60s", force_kernel);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_create(const spmm_plan_t *plan, int device, const char *force_kernel,
                                struct spmmi_cuda **out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct arena arena = {NULL, 0};
    int previous = -1;
    struct spmmi_cuda *cuda = spmmi_alloc_zero(1, sizeof *cuda);
    *out = NULL;
    SPMM_TRY_ALLOC(cuda, diag);
    SPMM_TRY(read_device(cuda, device, diag));
    SPMM_TRY(force(cuda, force_kernel, diag));
    SPMM_TRY(describe(plan, cuda, diag));
    SPMM_TRY_CUDA(cudaGetDevice(&previous), diag);
    SPMM_TRY_CUDA(cudaSetDevice(device), diag);
    cut_all(&arena, cuda);
    cuda->memory_bytes = arena.bytes;
    SPMM_TRY_CUDA(cudaMalloc((void **)&cuda->memory, (size_t)arena.bytes), diag);
    arena = (struct arena){cuda->memory, 0};
    cut_all(&arena, cuda);
    /* Counters start at zero and every launch leaves them so; padding of the values must be finite. */
    SPMM_TRY_CUDA(cudaMemset(cuda->memory, 0, (size_t)cuda->memory_bytes), diag);
    for (int op = 0; op < OP_COUNT; op++) {
        if (cuda->operands[op].is_used)
            SPMM_TRY(upload_operand(cuda, plan, (spmm_op_t)op, diag));
    }
    if (plan->values != NULL)
        SPMM_TRY(spmmi_cuda_set_values(cuda, plan->values, NULL, diag));
    SPMM_TRY_CUDA(cudaDeviceSynchronize(), diag);
    *out = cuda;
    cuda = NULL;
cleanup:
    spmmi_cuda_destroy(cuda);
    if (previous >= 0)
        (void)cudaSetDevice(previous);
    return status;
}

void spmmi_cuda_destroy(struct spmmi_cuda *cuda)
{
    if (cuda == NULL)
        return;
    (void)cudaFree(cuda->memory);
    spmmi_free(cuda);
}

uint64_t spmmi_cuda_device_bytes(const struct spmmi_cuda *cuda)
{
    return cuda->memory_bytes;
}

spmm_status_t spmmi_cuda_set_values(struct spmmi_cuda *cuda, const void *values, void *stream, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct cudaPointerAttributes attributes;
    const struct operand *n = &cuda->operands[SPMM_OP_N];
    const struct operand *t = &cuda->operands[SPMM_OP_T];
    const size_t bytes = (size_t)cuda->nnz * spmm_dtype_size(cuda->dtype);
    if (bytes == 0)
        goto cleanup;
    SPMM_TRY_CUDA(cudaPointerGetAttributes(&attributes, values), diag);
    const int is_host = attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
    SPMM_TRY_CUDA(cudaMemcpyAsync(n->values, values, bytes, cudaMemcpyDefault, stream), diag);
    if (t->is_used)
        SPMM_TRY_CUDA((cudaError_t)spmmi_gather_cuda((int)cuda->dtype, cuda->nnz, t->map, n->values, t->values, stream),
                      diag);
    if (is_host)
        SPMM_TRY_CUDA(cudaStreamSynchronize(stream), diag);
cleanup:
    return status;
}

/* The part that runs: the variant's first, or one of the same op with the forced schedule. */
static uint32_t pick_part(const struct spmmi_cuda *cuda, const struct spmmi_product *product)
{
    const uint32_t chosen = cuda->variants[product->variant].part_first;
    if (cuda->forced == 0 || cuda->parts[chosen].schedule == cuda->forced)
        return chosen;
    for (uint32_t i = 0; i < cuda->part_count; i++) {
        if (cuda->parts[i].op == product->op && cuda->parts[i].schedule == cuda->forced)
            return i;
    }
    return chosen;
}

static uint32_t plan_launch(const struct spmmi_cuda *cuda, const struct spmmi_product *product,
                            struct spmmi_rows_launch *launch)
{
    const uint32_t part = pick_part(cuda, product);
    const struct operand *operand = &cuda->operands[product->op];
    const struct spmmi_rows_problem problem = {
        .rows = operand->rows,
        .cols = operand->cols,
        .nnz = cuda->nnz,
        .item_count = cuda->items[part].item_count,
        .granule = cuda->items[part].granule,
        .schedule = cuda->parts[part].schedule,
        .dtype = cuda->dtype,
        .b = product->b,
        .c = product->c,
    };
    spmmi_rows_launch_plan(&problem, &cuda->figures, launch);
    return part;
}

void spmmi_cuda_kernel(const struct spmmi_cuda *cuda, const struct spmmi_product *product, char *text, size_t size)
{
    struct spmmi_rows_launch launch;
    const uint32_t part = plan_launch(cuda, product, &launch);
    (void)snprintf(text, size, "cuda/rows/%s/v%ul%u%s", spmm_schedule_name(cuda->parts[part].schedule),
                   launch.shape.vec, launch.shape.lanes, launch.shape.is_single ? "single" : "");
}

spmm_status_t spmmi_cuda_workspace_bytes(const struct spmmi_cuda *cuda, const struct spmmi_product *product,
                                         uint64_t *bytes)
{
    struct spmmi_rows_launch launch;
    (void)plan_launch(cuda, product, &launch);
    *bytes = launch.workspace_bytes;
    return SPMM_OK;
}

/* One pass as the kernels see it: columns j .. j + n of B and C, or their row-major scratch. */
struct pass {
    int64_t j, n;
    const char *b;
    char *c;
    int64_t ldb, ldc;
    double beta; /* for the kernel; the conversion of C applies it otherwise */
    int is_dependent; /* follows the conversion of B */
};

static char *at_column(const spmm_dense_t *dense, int64_t j)
{
    const int64_t step = dense->order == SPMM_ROW_MAJOR ? 1 : dense->ld;
    return (char *)dense->data + (size_t)(j * step) * spmm_dtype_size(dense->type);
}

static cudaError_t run_rows(struct spmmi_cuda *cuda, const struct spmmi_product *product, uint32_t part,
                            const struct spmmi_rows_launch *launch, const struct pass *pass, void *slots, void *stream)
{
    const struct operand *operand = &cuda->operands[product->op];
    const size_t number_bytes = spmm_dtype_size(cuda->dtype);
    const spmmi_rows_cuda_fn kernel =
        spmmi_rows_cuda_kernel((int)cuda->parts[part].schedule, (int)cuda->dtype, launch->shape);
    struct spmmi_rows_cuda args = {
        .stream = operand->stream,
        .items = cuda->items[part],
        .items_per_group = launch->items_per_group,
        .block_count = launch->block_count,
        .block_nonzeros = launch->block_nonzeros,
        .ldb = (uint32_t)pass->ldb,
        .ldc = (uint32_t)pass->ldc,
        .alpha = product->alpha,
        .beta = pass->beta,
        .slots = slots,
        .arrivals = cuda->arrivals,
        .cuda_stream = stream,
        .is_dependent = pass->is_dependent,
    };
    const int64_t width = (int64_t)launch->shape.lanes * launch->shape.vec * SPMMI_ROWS_TILES_MAX;
    int error = kernel != NULL ? cudaSuccess : cudaErrorInvalidValue;
    if (cuda->parts[part].schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        args.blocks = cuda->blocks[part][spmmi_rows_grid(launch->shape)];
    if (product->alpha == 0) { /* only C = beta * C is left: every row counts as empty */
        args.stream = (struct spmmi_stream){.empty_count = (uint32_t)operand->rows};
        args.items.item_count = 0;
        args.block_count = 0;
    }
    for (int64_t j = 0; j < pass->n && error == cudaSuccess; j += width) {
        args.b = pass->b + (size_t)j * number_bytes;
        args.c = pass->c + (size_t)j * number_bytes;
        args.n = (uint32_t)(pass->n - j < width ? pass->n - j : width);
        error = kernel(&args);
        args.is_dependent = 0; /* counters and slots are used again: one launch after the other */
    }
    return (cudaError_t)error;
}

static cudaError_t run_pass(struct spmmi_cuda *cuda, const struct spmmi_product *product, uint32_t part,
                            const struct spmmi_rows_launch *launch, int64_t j, char *workspace, void *stream)
{
    const struct operand *operand = &cuda->operands[product->op];
    const int64_t left = product->b->cols - j;
    const int64_t n = left < launch->n_pass ? left : launch->n_pass;
    const int64_t padded = (n + launch->shape.vec - 1) / launch->shape.vec * launch->shape.vec;
    struct pass pass = {.j = j, .n = n, .beta = product->beta};
    int error = cudaSuccess;
    /* A single column-major column is a row-major matrix of ld 1. */
    pass.ldb = product->b->order == SPMM_COL_MAJOR ? 1 : product->b->ld;
    pass.ldc = product->c->order == SPMM_COL_MAJOR ? 1 : product->c->ld;
    pass.b = at_column(product->b, j);
    pass.c = at_column(product->c, j);
    if (launch->converts_b && product->alpha != 0) {
        error = spmmi_rows_from_columns_cuda((int)cuda->dtype, operand->cols, n, pass.b, product->b->ld,
                                             workspace + launch->b_offset, launch->pitch, stream);
        pass.b = workspace + launch->b_offset;
        pass.ldb = launch->pitch;
        pass.is_dependent = cuda->figures.can_overlap;
    }
    if (launch->converts_c) {
        pass.c = workspace + launch->c_offset;
        pass.ldc = launch->pitch;
        pass.beta = 0;
        pass.n = launch->converts_b ? padded : n;
    }
    if (error == cudaSuccess)
        error = (int)run_rows(cuda, product, part, launch, &pass, workspace + launch->slots_offset, stream);
    if (error == cudaSuccess && launch->converts_c)
        error = spmmi_columns_from_rows_cuda((int)cuda->dtype, operand->rows, n, workspace + launch->c_offset,
                                             launch->pitch, at_column(product->c, j), product->c->ld, product->beta,
                                             stream, cuda->figures.can_overlap);
    return (cudaError_t)error;
}

spmm_status_t spmmi_cuda_execute(struct spmmi_cuda *cuda, const struct spmmi_product *product, void *workspace,
                                 uint64_t workspace_bytes, void *stream)
{
    struct spmmi_rows_launch launch;
    const uint32_t part = plan_launch(cuda, product, &launch);
    if (launch.workspace_bytes > workspace_bytes || (launch.workspace_bytes > 0 && workspace == NULL) ||
        (uintptr_t)workspace % 16 != 0)
        return SPMM_ERR_WORKSPACE;
    /* Strides are 32-bit in the kernels: row-major leading dimensions in bytes must fit. */
    if ((product->b->order == SPMM_ROW_MAJOR && product->b->ld > UINT32_MAX / 8) ||
        (product->c->order == SPMM_ROW_MAJOR && product->c->ld > UINT32_MAX / 8))
        return SPMM_ERR_TOO_LARGE;
    for (int64_t j = 0; j < product->b->cols; j += launch.n_pass) {
        if (run_pass(cuda, product, part, &launch, j, workspace, stream) != cudaSuccess)
            return SPMM_ERR_DEVICE;
    }
    return SPMM_OK;
}
