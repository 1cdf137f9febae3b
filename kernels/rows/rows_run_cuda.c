/* SPDX-License-Identifier: Apache-2.0 */
/* See cuda_rows.h. */
#include "rows_run_cuda.h"

#include "executor/cuda/cuda_call.h"
#include "format/base/alloc.h"

int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_cuda_pass *pass)
{
    const size_t number_bytes = spmm_dtype_size(rows->dtype);
    const spmmi_rows_cuda_fn kernel =
        spmmi_rows_cuda_kernel((int)rows->schedule, (int)rows->dtype, launch->shape);
    struct spmmi_rows_cuda args = {
        .stream = rows->stream,
        .items = rows->items,
        .items_per_group = launch->items_per_group,
        .block_count = launch->block_count,
        .block_nonzeros = launch->block_nonzeros,
        .ldb = (uint32_t)pass->ldb,
        .ldc = (uint64_t)pass->ldc,
        .c_is_col_major = pass->c_is_col_major,
        .alpha = pass->alpha,
        .beta = pass->beta,
        .slots = pass->slots,
        .arrivals = rows->arrivals,
        .cuda_stream = pass->cuda_stream,
        .is_dependent = pass->is_dependent,
    };
    const int64_t width = (int64_t)launch->shape.lanes * launch->shape.vec * SPMMI_ROWS_TILES_MAX;
    int error = kernel != NULL ? cudaSuccess : cudaErrorInvalidValue;
    if (rows->schedule == SPMM_SCHEDULE_NONZERO_SPLIT)
        args.blocks = rows->blocks[spmmi_rows_grid(launch->shape)];
    if (pass->alpha == 0) { /* only C = beta * C is left: every row counts as empty */
        args.stream = (struct spmmi_stream){.empty_count = rows->row_count, .empty_rows = rows->row_list};
        args.items.item_count = 0;
        args.block_count = 0;
    }
    for (int64_t j = 0; j < pass->n && error == cudaSuccess; j += width) {
        args.b = pass->b != NULL ? pass->b + (size_t)j * number_bytes : NULL;
        args.c = pass->c + (size_t)(pass->c_is_col_major ? j * pass->ldc : j) * number_bytes;
        args.n = (uint32_t)(pass->n - j < width ? pass->n - j : width);
        error = kernel(&args);
        args.is_dependent = 0; /* counters and slots are used again: one launch after the other */
    }
    return error;
}

spmm_status_t spmmi_cuda_blocks_upload(const struct spmmi_block *const blocks[SPMMI_ROWS_GRIDS],
                                       const struct spmmi_stream_host *stream,
                                       const struct spmmi_items_host *items, uint32_t granule,
                                       spmm_dtype_t dtype, uint32_t sm_count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_block *host = NULL;
    for (int grid = 0; grid < SPMMI_ROWS_GRIDS; grid++) {
        const uint32_t nonzeros = spmmi_rows_block_nonzeros(stream->nnz, granule, dtype, grid, sm_count);
        const uint64_t count = spmmi_rows_block_count(stream->nnz, granule, dtype, grid, sm_count);
        host = spmmi_alloc(count + 1, sizeof *host);
        SPMM_TRY_ALLOC(host, diag);
        spmmi_blocks_build(stream, items, granule, nonzeros, nonzeros / spmmi_rows_slack(grid), host);
        SPMM_TRY(spmmi_cuda_copy_up(blocks[grid], host, count + 1, sizeof *host, diag));
        spmmi_free(host);
        host = NULL;
    }
cleanup:
    spmmi_free(host);
    return status;
}
