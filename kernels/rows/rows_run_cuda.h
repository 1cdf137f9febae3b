/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the rows family on a GPU, of all rows of op(A) or of those split off. */
#ifndef SPMMI_CUDA_ROWS_H
#define SPMMI_CUDA_ROWS_H

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_upload.h"
#include "rows_kernel.h"
#include "rows_launch_cuda.h"
#include "rows_pack.h"
#include "rows_pieces.h"
#include "rows_slices_shape.h"

/* What the kernels read of a part; device pointers. */
struct spmmi_cuda_rows {
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;
    uint32_t row_count;
    uint32_t longest;           /* nonzeros of the longest row; row split */
    const uint32_t *row_list;   /* the rows of C; NULL: 0 .. row_count - 1 */
    struct spmmi_stream stream; /* its values are where `values` says */
    void *const *values;        /* where whoever holds them keeps their address; NULL there: none are held */
    struct spmmi_stream_items items;
    struct spmmi_grid_blocks blocks[SPMMI_ROWS_GRIDS];   /* nonzero split */
    struct spmmi_grid_blocks staged[SPMMI_STAGED_GRIDS]; /* the same, of few columns */
    const struct spmmi_slice *slices;                    /* the stream is one of slices; NULL: of rows */
    enum spmmi_slice_index slice_index;
    struct spmmi_rows_pieces pieces; /* ranks are pieces of rows; count 0: they are rows */
    uint64_t arrival_tag;
};

/* Enqueue a product of these rows; returns a cudaError_t. B is row-major; alpha = 0 reads neither it nor A.
 * is_dependent: it follows the conversion of B, and may start while that ends. */
int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_product *product, int is_dependent, char *workspace, void *stream);

/* Addresses of the blocks of a nonzero split of so many rows with nonzeros, for every grid. */
void spmmi_cuda_blocks_cut(struct spmmi_arena *arena, uint32_t nnz, uint32_t ranks,
                           const struct spmmi_device *device, struct spmmi_cuda_rows *rows);
/* The items and blocks of a part to the device, and with them what is in the list, which is empty then. rows->stream is
 * that of the device; item_rows: the row of each item (row split). */
spmm_status_t spmmi_cuda_items_upload(struct spmmi_cuda_rows *rows, const uint32_t *item_rows,
                                      const struct spmmi_stream_host *stream, uint32_t sm_count,
                                      struct spmmi_uploads *uploads, spmm_diag_t *diag);

#endif
