/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of blocks with lists of columns (rows_gathered_shape.h): a product of one column, and the copy of
 * values into their order. */
#ifndef SPMMI_ROWS_GATHERED_KERNEL_H
#define SPMMI_ROWS_GATHERED_KERNEL_H

#include <spmm/common.h>

#include "kernels/shared/allowed.h"
#include "rows_gathered_shape.h"
#include "rows_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device pointers. */
struct spmmi_gathered_tables {
    uint32_t count, entries, columns; /* blocks; entries of values and indices; entries of all lists */
    uint32_t shared_values_max;       /* most slots plus sums of rows of a block */
    const struct spmmi_gathered_block *blocks;
    const uint16_t *local, *first_rank; /* as in struct spmmi_gathered_host */
    const uint32_t *list;
    const uint32_t *starts; /* count + 1: first nonzero of each block */
};

/* C = alpha * P * B + beta * C for one column. The stream has the tables of ranks and the values of the
 * blocks. The types of A, B and C are equal. */
struct spmmi_gathered_product {
    struct spmmi_gathered_tables tables;
    struct spmmi_stream stream;
    const void *b;
    void *c;
    uint32_t ldb; /* from value to value, in elements */
    uint64_t ldc;
    uint32_t rows_of_b, rows_of_c;
    double alpha, beta;
    uint64_t *arrivals; /* workspace: a counter and a sum for each block */
    uint64_t arrival_tag;
    void *slots;
    struct spmmi_allowed *allowed; /* kernels whose limit of shared memory was raised */
    void *cuda_stream;
    int is_dependent; /* may start before the previous kernel in the stream has ended: sm_90 */
};

/* Enqueues the product. type: of A, B and C. Returns a cudaError_t. */
int spmmi_gathered_run_cuda(const struct spmmi_gathered_product *args, int type);
/* Copies nnz values from the order of the rows to that of the blocks. Returns a cudaError_t. */
int spmmi_gathered_fill_cuda(const struct spmmi_gathered_tables *tables, uint32_t nnz, const void *from,
                             void *to, uint32_t value_bytes, void *cuda_stream);

#ifdef __cplusplus
}
#endif
#endif
