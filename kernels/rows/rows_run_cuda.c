/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_run_cuda.h. */
#include "rows_run_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"
#include "kernels/shared/convert.h"
#include "rows_columns_shape.h"
#include "rows_staged_pack.h"

/* Returns the kernel of a product. If all values of A are equal, it reads no values. Returns NULL if there is
 * no such instance, or if it would read values that are not held. */
static spmmi_rows_cuda_fn kernel_of(const struct spmmi_cuda_rows *rows, const struct spmmi_product *product,
                                    struct spmmi_rows_shape shape)
{
    const int has_values = *rows->values != NULL || product->alpha == 0;
    const struct spmmi_rows_types types = {product->a_is_uniform ? 0 : (int)rows->dtype, (int)product->b.type,
                                           (int)product->c.type};
    return product->a_is_uniform || has_values ? spmmi_rows_cuda_kernel((int)rows->schedule, types, shape)
                                               : NULL;
}

/* Returns true if lanes may load whole words of B. No word may reach past n columns. */
static int has_whole_words(const spmm_dense_t *b, uint32_t vec)
{
    const size_t word = vec * spmm_dtype_size(b->type);
    return b->cols % vec == 0 && (size_t)b->ld * spmm_dtype_size(b->type) % word == 0 &&
           (uintptr_t)b->data % word == 0;
}

int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_product *product, int is_dependent, char *workspace, void *stream)
{
    const spmmi_rows_cuda_fn kernel = kernel_of(rows, product, launch->shape);
    struct spmmi_rows_cuda args = {
        .stream = rows->stream,
        .items = rows->items,
        .slices = launch->shape.way == SPMMI_ROWS_SLICED ? rows->slices : NULL,
        .slice_index = (int)rows->slice_index,
        .items_per_group = launch->items_per_group,
        .share = launch->shape.share,
        .block_count = launch->block_count,
        .block_nonzeros = launch->block_nonzeros,
        .ldb = (uint32_t)product->b.ld,
        .ldc = (uint64_t)product->c.ld,
        .rows_of_b = (uint32_t)product->b.rows,
        .rows_of_c = (uint32_t)product->c.rows,
        .c_is_col_major = product->c.layout == SPMM_COL_MAJOR,
        .keeps_c = launch->keeps_c,
        .alpha = product->alpha,
        .beta = product->beta,
        .a_value = product->a_value,
        .arrival_tag = rows->arrival_tag,
        .cuda_stream = stream,
        .is_crowded = launch->is_crowded,
        .prefetches = is_dependent,
        .is_dependent = is_dependent || launch->is_early,
        .b_has_whole_words = has_whole_words(&product->b, launch->shape.vec),
    };
    const int64_t width = (int64_t)launch->shape.lanes * launch->shape.vec * launch->tiles_max;
    const size_t sum_bytes = spmmi_sum_bytes((int)product->b.type);
    int error = kernel != NULL ? cudaSuccess : cudaErrorInvalidValue;
    if (rows->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        args.blocks =
            (launch->shape.way == SPMMI_ROWS_STAGED ? rows->staged : rows->blocks)[launch->grid].blocks;
        args.arrivals = (uint64_t *)(void *)(workspace + launch->arrivals_offset);
        args.slots = workspace + launch->slots_offset;
    }
    args.stream.values = *rows->values;
    if (product->alpha == 0) { /* only C = beta * C is left: every row is treated as empty */
        args.stream = (struct spmmi_stream){.empty_count = rows->row_count, .empty_rows = rows->row_list};
        args.items.item_count = 0;
        args.block_count = 0;
    }
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += width) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, width);
        args.b = turn.b.data;
        args.c = turn.c.data;
        args.n = (uint32_t)turn.b.cols;
        if (rows->pieces.count > 0) {
            args.pieces = workspace + launch->pieces_offset + (size_t)j * sum_bytes;
            args.piece_count = rows->pieces.count;
            args.piece_pitch = launch->piece_pitch;
        }
        error = kernel(&args);
        args.prefetches = args.is_dependent = 0; /* the next launch uses the same counters and slots */
    }
    return error;
}

static uint32_t staged_ranks(int grid)
{
    return SPMMI_STAGED_RANKS_MAX(spmmi_staged_lanes(grid));
}

void spmmi_cuda_blocks_cut(struct spmmi_arena *arena, uint32_t nnz, uint32_t ranks,
                           const struct spmmi_device *device, struct spmmi_cuda_rows *rows)
{
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        struct spmmi_grid_blocks *const b = &rows->blocks[grid];
        b->nonzeros =
            spmmi_rows_block_nonzeros(nnz, rows->items.item_size, rows->dtype, grid, device->multiprocessors);
        b->count = (nnz + b->nonzeros - 1) / b->nonzeros;
        b->blocks = spmmi_arena_cut(arena, (uint64_t)b->count + 1, sizeof *b->blocks);
    }
    for (int grid = 0; grid < SPMMI_STAGED_GRIDS; grid++) {
        const uint64_t count =
            spmmi_staged_blocks_max(nnz, ranks, spmmi_staged_least(grid), staged_ranks(grid));
        rows->staged[grid].blocks = spmmi_arena_cut(arena, count + 1, sizeof *rows->staged[grid].blocks);
    }
}

/* Builds the blocks of few columns, with one job per grid. A job is sequential: each block begins where the
 * one before it ended. */
struct staged_jobs {
    const struct spmmi_stream_host *stream;
    struct spmmi_grid_blocks *staged;
    struct spmmi_block *host[SPMMI_STAGED_GRIDS]; /* allocated for the largest possible number of blocks */
    uint32_t sum_bytes, sm_count;
};

static void staged_build(void *context, int grid)
{
    struct staged_jobs *const j = context;
    struct spmmi_grid_blocks *const staged = &j->staged[grid];
    const uint32_t vec = grid > 0 ? 2 : 1;
    const uint32_t most = SPMMI_STAGED_NONZEROS_MAX(j->sum_bytes, vec, spmmi_staged_lanes(grid));
    staged->nonzeros = spmmi_staged_nonzeros(j->stream, spmmi_staged_least(grid), most, staged_ranks(grid),
                                             j->sm_count * SPMMI_STAGED_BLOCKS_PER_SM(j->sum_bytes, vec));
    staged->count = spmmi_staged_blocks_build(j->stream, staged->nonzeros, staged_ranks(grid), j->host[grid]);
}

static spmm_status_t staged_alloc(struct staged_jobs *j, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int grid = 0; grid < SPMMI_STAGED_GRIDS; grid++) {
        const uint64_t most = spmmi_staged_blocks_max(j->stream->nnz, j->stream->ranks,
                                                      spmmi_staged_least(grid), staged_ranks(grid));
        SPMM_TRY_ALLOC(j->host[grid] = spmmi_alloc(most + 1, sizeof *j->host[grid]), diag);
    }
cleanup:
    return status;
}

/* The values of A, up to six arrays of the stream, item_rank, and one table per grid. */
_Static_assert(1 + 6 + 1 + SPMMI_ROWS_GRIDS <= SPMMI_UPLOADS_MAX, "the longest list of this family has room");

static void blocks_add(struct spmmi_cuda_rows *rows, const struct spmmi_stream_host *stream,
                       uint32_t sm_count, struct spmmi_blocks_source *sources, struct spmmi_uploads *uploads)
{
    const uint32_t size = rows->items.item_size;
    const size_t value_bytes = spmm_dtype_size(rows->dtype);
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint64_t count = rows->blocks[grid].count;
        sources[grid] = spmmi_rows_blocks_source(stream, size, rows->dtype, grid, sm_count);
        if (value_bytes >= 4 && grid == spmmi_rows_kept_grid(value_bytes))
            rows->blocks[grid].most_rows = spmmi_blocks_most_rows(&sources[grid], count);
        spmmi_cuda_table_add(uploads, rows->blocks[grid].blocks, count + 1, spmmi_blocks_fill,
                             &sources[grid]);
    }
}

static spmm_status_t upload_blocks(struct spmmi_cuda_rows *rows, const struct spmmi_stream_host *stream,
                                   uint32_t sm_count, struct spmmi_uploads *uploads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_blocks_source sources[SPMMI_ROWS_GRIDS];
    struct spmmi_uploads built = {.count = 0};
    struct spmmi_grid_blocks *const staged = rows->staged;
    struct staged_jobs jobs = {.stream = stream,
                               .staged = staged,
                               .sum_bytes = (uint32_t)spmmi_sum_bytes((int)rows->dtype),
                               .sm_count = sm_count};
    SPMM_TRY(staged_alloc(&jobs, diag));
    blocks_add(rows, stream, sm_count, sources, uploads);
    uploads->job = staged_build;
    uploads->context = &jobs;
    uploads->job_count = SPMMI_STAGED_GRIDS;
    SPMM_TRY(spmmi_cuda_upload_all(uploads, diag));
    for (int grid = 0; grid < SPMMI_STAGED_GRIDS; grid++)
        spmmi_cuda_table_add(&built, staged[grid].blocks, (uint64_t)staged[grid].count + 1, NULL,
                             jobs.host[grid]);
    SPMM_TRY(spmmi_cuda_upload_all(&built, diag));
cleanup:
    for (int grid = 0; grid < SPMMI_STAGED_GRIDS; grid++)
        spmmi_free(jobs.host[grid]);
    return status;
}

/* Row split: computes where items start on the device, from their ranks and the starts of ranks uploaded
 * before. */
static spmm_status_t make_starts(const struct spmmi_cuda_rows *rows, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_stream_items *const items = &rows->items;
    const uint32_t count = items->item_count + 1;
    uint32_t *const starts =
        (uint32_t *)(uintptr_t)SPMMI_CUDA_TABLE(items->item_start, count, sizeof *starts);
    SPMM_TRY_CUDA((cudaError_t)spmmi_gather_cuda(SPMM_F32, count, items->item_rank, rows->stream.rank_start,
                                                 starts, rows->stream.ranks + 1, NULL),
                  diag);
cleanup:
    return status;
}

spmm_status_t spmmi_cuda_items_upload(struct spmmi_cuda_rows *rows, const uint32_t *item_rows,
                                      const struct spmmi_stream_host *stream, uint32_t sm_count,
                                      struct spmmi_uploads *uploads, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_stream_items *const to = &rows->items;
    const uint64_t count = (uint64_t)to->item_count + 1;
    const int is_row_split = rows->schedule == SPMM_SCHEDULE_ROW_SPLIT;
    const struct spmmi_items_source items = {stream, to->item_count, to->item_size,
                                             is_row_split ? item_rows : NULL};
    spmmi_cuda_table_add(uploads, to->item_rank, count, spmmi_item_ranks_fill, &items);
    if (is_row_split) {
        SPMM_TRY(spmmi_cuda_upload_all(uploads, diag));
        SPMM_TRY(make_starts(rows, diag));
    } else {
        SPMM_TRY(upload_blocks(rows, stream, sm_count, uploads, diag));
    }
cleanup:
    return status;
}
