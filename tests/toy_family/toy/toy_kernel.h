/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor's side of the toy family and its kernel agree on. */
#ifndef SPMMI_TOY_KERNEL_H
#define SPMMI_TOY_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One launch; all pointers are device pointers. Steps are elements from a row, or a column, to the next. */
struct spmmi_toy_launch {
    int64_t rows, n, b_row_step, b_column_step, c_row_step, c_column_step;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind;
    const uint32_t *map; /* place of each nonzero in the values of A; NULL: their own */
    const void *values, *b;
    void *c;
    double alpha, beta;
    int is_f64;
};

/* Returns a cudaError_t. */
int spmmi_toy_cuda_launch(const struct spmmi_toy_launch *args, void *stream);

#ifdef __cplusplus
}
#endif
#endif
