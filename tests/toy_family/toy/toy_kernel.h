/* SPDX-License-Identifier: Apache-2.0 */
/* Interface between the executor's side of the toy family and its kernel. */
#ifndef SPMMI_TOY_KERNEL_H
#define SPMMI_TOY_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arguments of one launch. All pointers are device pointers. A step is the distance in elements from one row,
 * or column, to the next. */
struct spmmi_toy_launch {
    int64_t rows, n, b_row_step, b_column_step, c_row_step, c_column_step;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind;
    const uint32_t *map; /* index of each nonzero in values; NULL: values are in CSR order */
    const void *values, *b;
    void *c;
    double alpha, beta;
    int is_f64;
};

/* Starts the kernel on the CUDA stream. Returns a cudaError_t. */
int spmmi_toy_cuda_launch(const struct spmmi_toy_launch *args, void *stream);

#ifdef __cplusplus
}
#endif
#endif
