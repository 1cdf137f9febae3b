/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the rows family on a GPU, of all rows of op(A) or of those that were peeled. */
#ifndef SPMMI_CUDA_ROWS_H
#define SPMMI_CUDA_ROWS_H

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
    uint32_t *arrivals;
};

/* One pass as the kernels see it: columns j .. j + n of B and C, or their row-major scratch. */
struct spmmi_cuda_pass {
    int64_t n;
    const char *b;
    char *c;
    int64_t ldb, ldc;
    int c_is_col_major;
    double alpha;
    double beta;      /* for the kernel; the conversion of C applies it otherwise */
    int is_dependent; /* follows the conversion of B */
    void *slots, *cuda_stream;
};

/* Enqueue a pass; returns a cudaError_t. Nothing is enqueued only if alpha is 0. */
int spmmi_cuda_rows_run(const struct spmmi_cuda_rows *rows, const struct spmmi_rows_launch *launch,
                        const struct spmmi_cuda_pass *pass);

/* The blocks of a nonzero split to the device, for every grid. */
spmm_status_t spmmi_cuda_blocks_upload(const struct spmmi_block *const blocks[SPMMI_ROWS_GRIDS],
                                       const struct spmmi_stream_host *stream,
                                       const struct spmmi_items_host *items, uint32_t granule,
                                       spmm_dtype_t dtype, uint32_t sm_count, spmm_diag_t *diag);

#endif
