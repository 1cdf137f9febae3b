/* SPDX-License-Identifier: Apache-2.0 */
/* The launch that adds the pieces of rows (rows_pieces.h). */
#ifndef SPMMI_ROWS_PIECES_KERNEL_H
#define SPMMI_ROWS_PIECES_KERNEL_H

#include <spmm/common.h>

#include "rows_pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C(row, 0..n) = alpha * (sum of the row's pieces) + beta * C(row, 0..n) for each row that was cut; C is
 * row-major. */
struct spmmi_rows_pieces_cuda {
    struct spmmi_rows_pieces pieces;
    const void *sums; /* pieces.count rows of `pitch` values of the sum type; whole words of 16 bytes */
    void *c;
    uint64_t pitch, ldc;
    uint32_t n, rows_of_c;
    double alpha, beta;
    void *cuda_stream;
    int is_dependent; /* may start before the previous kernel in the stream has ended */
};

/* Launches the kernel. type: the type of C, an spmm_dtype_t. Returns a cudaError_t; 0 means enqueued. */
int spmmi_rows_pieces_sum(const struct spmmi_rows_pieces_cuda *args, int type);

#ifdef __cplusplus
}
#endif
#endif
