/* SPDX-License-Identifier: Apache-2.0 */
/* The long rows of a part on a GPU: a stream of their own, which the kernels of rows/nonzero-split read. */
#ifndef SPMMI_CUDA_LONG_ROWS_H
#define SPMMI_CUDA_LONG_ROWS_H

#include "executor/cuda/cuda_arena.h"
#include "executor/cuda/cuda_value_memory.h"
#include "kernels/rows/rows_run_cuda.h"
#include "long_rows_pack.h"

struct spmmi_cuda_long_rows {
    struct spmmi_cuda_rows rows; /* row_count 0: there are none */
    int64_t cols;                /* of op(A) */
    const struct spmmi_device *device;
    void *values;                         /* the values of rows, writable */
    struct spmmi_value_memory new_values; /* map: position of each nonzero in A */
};

/* Fills the metrics of the long rows in a, which cutting needs, and no arrays. */
void spmmi_cuda_long_rows_describe(const struct spmmi_long_rows *a, int64_t cols, spmm_dtype_t dtype,
                                   const struct spmmi_device *device, struct spmmi_cuda_long_rows *long_rows);
/* Cuts the device arrays from the arena. Its memory must be zero, because padding is not uploaded. */
void spmmi_cuda_long_rows_cut(struct spmmi_arena *arena, struct spmmi_cuda_long_rows *long_rows);
/* Uploads everything but values. Takes over the map of a. */
spmm_status_t spmmi_cuda_long_rows_upload(struct spmmi_cuda_long_rows *long_rows, struct spmmi_long_rows *a,
                                          spmm_diag_t *diag);

/* Sets the values. values: the `count` values of A in its order, on the device. Returns a cudaError_t. */
int spmmi_cuda_long_rows_set_values(const struct spmmi_cuda_long_rows *long_rows, const void *values,
                                    uint32_t count, void *stream);

/* Returns the bytes of workspace for a pass of n columns of row-major B and C, whatever their alignment. */
uint64_t spmmi_cuda_long_rows_slots(const struct spmmi_cuda_long_rows *long_rows, int64_t n);
/* Enqueues a product whose B and C are row-major. Returns a cudaError_t. */
int spmmi_cuda_long_rows_run(const struct spmmi_cuda_long_rows *long_rows,
                             const struct spmmi_product *product, char *workspace, void *stream);

#endif
