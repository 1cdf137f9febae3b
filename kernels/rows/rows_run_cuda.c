/* SPDX-License-Identifier: Apache-2.0 */
/* See rows_run_cuda.h. */
#include "rows_run_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"

int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_product *product, int is_dependent, char *workspace, void *stream)
{
    const spmmi_rows_cuda_fn kernel =
        spmmi_rows_cuda_kernel((int)rows->schedule, (int)rows->dtype, launch->shape);
    struct spmmi_rows_cuda args = {
        .stream = rows->stream,
        .items = rows->items,
        .items_per_group = launch->items_per_group,
        .block_count = launch->block_count,
        .block_nonzeros = launch->block_nonzeros,
        .ldb = (uint32_t)product->b.ld,
        .ldc = (uint64_t)product->c.ld,
        .rows_of_b = (uint32_t)product->b.rows,
        .rows_of_c = (uint32_t)product->c.rows,
        .c_is_col_major = product->c.layout == SPMM_COL_MAJOR,
        .alpha = product->alpha,
        .beta = product->beta,
        .arrival_tag = rows->arrival_tag,
        .cuda_stream = stream,
        .is_dependent = is_dependent,
    };
    const int64_t width = (int64_t)launch->shape.lanes * launch->shape.vec * SPMMI_ROWS_TILES_MAX;
    int error = kernel != NULL ? cudaSuccess : cudaErrorInvalidValue;
    if (rows->schedule == SPMM_SCHEDULE_NONZERO_SPLIT) {
        args.blocks = rows->blocks[spmmi_rows_grid(launch->shape)];
        args.arrivals = (uint64_t *)(void *)(workspace + launch->arrivals_offset);
        args.slots = workspace + launch->slots_offset;
    }
    if (product->alpha == 0) { /* only C = beta * C is left: every row counts as empty */
        args.stream = (struct spmmi_stream){.empty_count = rows->row_count, .empty_rows = rows->row_list};
        args.items.item_count = 0;
        args.block_count = 0;
    }
    for (int64_t j = 0; j < product->b.cols && error == cudaSuccess; j += width) {
        const struct spmmi_product turn = spmmi_product_columns(product, j, width);
        args.b = turn.b.data;
        args.c = turn.c.data;
        args.n = (uint32_t)turn.b.cols;
        error = kernel(&args);
        args.is_dependent = 0; /* counters and slots are used again: one launch after the other */
    }
    return error;
}

void spmmi_cuda_blocks_cut(struct spmmi_arena *arena, uint32_t nnz, uint32_t item_size, spmm_dtype_t dtype,
                           const struct spmmi_device *device,
                           const struct spmmi_block *blocks[SPMMI_ROWS_GRIDS])
{
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint64_t count = spmmi_rows_block_count(nnz, item_size, dtype, grid, device->multiprocessors);
        blocks[grid] = spmmi_arena_cut(arena, count + 1, sizeof *blocks[grid]);
    }
}

spmm_status_t spmmi_cuda_blocks_upload(const struct spmmi_block *const blocks[SPMMI_ROWS_GRIDS],
                                       const struct spmmi_stream_host *stream,
                                       const struct spmmi_items_host *items, uint32_t item_size,
                                       spmm_dtype_t dtype, uint32_t sm_count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_block *host = NULL;
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint32_t nonzeros = spmmi_rows_block_nonzeros(stream->nnz, item_size, dtype, grid, sm_count);
        const uint64_t count = spmmi_rows_block_count(stream->nnz, item_size, dtype, grid, sm_count);
        host = spmmi_alloc(count + 1, sizeof *host);
        SPMM_TRY_ALLOC(host, diag);
        spmmi_blocks_build(stream, items, item_size, nonzeros, nonzeros / spmmi_rows_slack(grid), host);
        SPMM_TRY(spmmi_cuda_copy_up(blocks[grid], host, count + 1, sizeof *host, diag));
        spmmi_free(host);
        host = NULL;
    }
cleanup:
    spmmi_free(host);
    return status;
}
