/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the rows family on a GPU, for all rows of op(A) or for rows that were split off. */
#ifndef SPMMI_CUDA_ROWS_H
#define SPMMI_CUDA_ROWS_H

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_upload.h"
#include "rows_kernel.h"
#include "rows_launch_cuda.h"
#include "rows_pack.h"
#include "rows_pieces.h"
#include "rows_slices_shape.h"

/* What kernels read of a part; device pointers. */
struct spmmi_cuda_rows {
    spmm_schedule_t schedule;
    spmm_dtype_t dtype;
    uint32_t row_count;
    uint32_t longest;           /* nonzeros of the longest row; row split */
    const uint32_t *row_list;   /* rows of C; NULL: 0 .. row_count - 1 */
    struct spmmi_stream stream; /* without its values: see `values` */
    void *const *values;        /* *values: the values, set by their owner; NULL if none are held */
    struct spmmi_stream_items items;
    struct spmmi_grid_blocks blocks[SPMMI_ROWS_GRIDS];   /* nonzero split */
    struct spmmi_grid_blocks staged[SPMMI_STAGED_GRIDS]; /* nonzero split of few columns */
    const struct spmmi_slice *slices;                    /* the stream consists of slices; NULL: of rows */
    enum spmmi_slice_index slice_index;
    struct spmmi_rows_pieces pieces; /* ranks are pieces of rows; count 0: ranks are rows */
    uint64_t arrival_tag;
};

/* Enqueues a product of these rows. Returns a cudaError_t. B is row-major; with alpha = 0 neither B nor A is
 * read. is_dependent: the launch follows the conversion of B and may start before that has ended. */
int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_product *product, int is_dependent, char *workspace, void *stream);

/* Sets the number of blocks of a nonzero split and cuts them from the arena, for every grid. ranks: rows with
 * nonzeros. */
void spmmi_cuda_blocks_cut(struct spmmi_arena *arena, uint32_t nnz, uint32_t ranks,
                           const struct spmmi_device *device, struct spmmi_cuda_rows *rows);
/* Uploads the items and blocks of a part, and everything in the list, which is empty afterwards. rows->stream
 * has device pointers. item_rows: the first row of each item (row split). */
spmm_status_t spmmi_cuda_items_upload(struct spmmi_cuda_rows *rows, const uint32_t *item_rows,
                                      const struct spmmi_stream_host *stream, uint32_t sm_count,
                                      struct spmmi_uploads *uploads, spmm_diag_t *diag);

#endif
