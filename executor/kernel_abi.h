/* SPDX-License-Identifier: Apache-2.0 */
/* The contract between the executor and the kernels. A kernel sees this header and its own folder.
 *
 * rows family, on the CPU and on the GPU. P is the pattern of op(A) in CSR with m rows and k columns.
 * Host layout: CSR as it is, plus the plan's items.
 * Device layout ("stream"): the nonzeros of P in order, cut from their rows: a column index whose sign
 * bit is set ends its row. Rows without nonzeros do not appear in it; the others are numbered 0, 1, ...
 * ("rank") and row_of_rank leads back. Kernels that meet such a stream need no row pointer until a row
 * is shared by two blocks.                                                                      */
#ifndef SPMMI_KERNEL_ABI_H
#define SPMMI_KERNEL_ABI_H

#include <stdint.h>

/* C(m x n) = alpha * P * B(k x n) + beta * C on the CPU. All pointers are host pointers. */
struct spmmi_rows_host {
    int64_t rows, cols, nnz;
    const int64_t *row_ptr; /* rows + 1 */
    const int32_t *col_ind; /* nnz */
    const void *values;     /* nnz, f32 or f64 as the kernel says */
    uint32_t granule;
    uint64_t item_count;
    const uint32_t *items; /* see struct spmmi_part */
    int64_t n;
    const void *b;
    int64_t ldb;
    int b_is_col_major;
    void *c;
    int64_t ldc;
    int c_is_col_major;
    double alpha, beta;
    void *workspace; /* as many bytes as the workspace function said */
    int threads;     /* 0 = OpenMP's default */
};

/* One CPU kernel: never fails, allocates nothing, same bits at any number of threads. */
typedef void (*spmmi_rows_host_fn)(const struct spmmi_rows_host *args);
/* Bytes of workspace for these args (data pointers may be NULL). */
typedef uint64_t (*spmmi_rows_host_workspace_fn)(const struct spmmi_rows_host *args);

struct spmmi_rows_host_kernel {
    spmmi_rows_host_fn run;
    spmmi_rows_host_workspace_fn workspace_bytes;
};

/* Indexed by [schedule - 1][dtype - 1]; kernels/rows/rows_cpu.c */
extern const struct spmmi_rows_host_kernel spmmi_rows_host_kernels[2][2];

#endif
