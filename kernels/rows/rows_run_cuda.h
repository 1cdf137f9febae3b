/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the rows family on a GPU, of all rows of op(A) or of those split off. */
#ifndef SPMMI_CUDA_ROWS_H
#define SPMMI_CUDA_ROWS_H

#include "executor/cuda/cuda_arena.h"
#include "rows_kernel.h"
#include "rows_launch_cuda.h"
#include "rows_pack.h"

/* What the kernels read of a part; device pointers. */
struct spmmi_cuda_rows {
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;
    uint32_t row_count;
    const uint32_t *row_list; /* the rows of C; NULL: 0 .. row_count - 1 */
    struct spmmi_stream stream;
    struct spmmi_stream_items items;
    const struct spmmi_block *blocks[SPMMI_ROWS_GRIDS]; /* nonzero split */
    uint64_t arrival_tag;
};

/* Enqueue a product of these rows; returns a cudaError_t. B is row-major; alpha = 0 reads neither it nor A.
 * is_dependent: it follows the conversion of B, and may start while that ends. */
int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_product *product, int is_dependent, char *workspace, void *stream);

/* Addresses of the blocks of a nonzero split, for every grid. */
void spmmi_cuda_blocks_cut(struct spmmi_arena *arena, uint32_t nnz, uint32_t item_size, spmm_dtype_t dtype,
                           const struct spmmi_device *device,
                           const struct spmmi_block *blocks[SPMMI_ROWS_GRIDS]);
/* The blocks of a nonzero split to the device, for every grid. */
spmm_status_t spmmi_cuda_blocks_upload(const struct spmmi_block *const blocks[SPMMI_ROWS_GRIDS],
                                       const struct spmmi_stream_host *stream,
                                       const struct spmmi_items_host *items, uint32_t item_size,
                                       spmm_dtype_t dtype, uint32_t sm_count, spmm_diag_t *diag);

#endif
