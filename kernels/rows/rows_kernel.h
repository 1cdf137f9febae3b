/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the executor and the kernels of the rows family share.
 *
 * P is the pattern of op(A) in CSR with m rows and k columns.
 * Host layout: the CSR arrays, plus the plan's items (rows_csr_cpu.h).
 * Device layout ("stream"): the nonzeros of P in order, without row pointers. The sign bit of a column index,
 * or a separate bit for 16-bit indices, marks the last nonzero of a row. The stream has no rows without
 * nonzeros. The other rows are numbered 0, 1, ... ("rank"), and row_of_rank maps a rank to its row. Kernels
 * need no row pointer until two blocks share a row. */
#ifndef SPMMI_ROWS_KERNEL_H
#define SPMMI_ROWS_KERNEL_H

#include <stdint.h>

#include "rows_shape.h"
#include "rows_slices_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device layout of one op(A). All pointers are device pointers. The arrays have SPMMI_STREAM_PAD more
 * entries, so that kernels may load past the last nonzero. */
#define SPMMI_STREAM_PAD 64u          /* entries after nnz: column 0, no flag, value 0 */
#define SPMMI_ROW_END 0x80000000u     /* flag in columns: the last nonzero of its row */
#define SPMMI_ITEM_INSIDE 0x80000000u /* flag in item_rank: the row began before the item */

struct spmmi_stream {
    uint32_t nnz, ranks; /* number of nonzeros; number of rows that have any */
    uint32_t empty_count;
    const uint32_t *columns; /* nnz + pad, flagged; NULL if narrow; sliced rows: high bits for narrow */
    const uint16_t *narrow;  /* nnz + pad columns, if there are at most SPMMI_NARROW_COLUMNS; else NULL */
    const uint8_t *row_ends; /* narrow: (nnz + pad) / 8 + 1 bytes; bit p % 8 of byte p / 8 flags nonzero p */
    const void *values;      /* nnz + pad values of the type of A */
    const uint32_t *rank_start;  /* ranks + 1: first nonzero of each rank, then nnz */
    const uint32_t *row_of_rank; /* ranks + 1; NULL if no row is empty: rank = row */
    const uint32_t *empty_rows;  /* empty_count rows; NULL: rows 0 .. empty_count - 1 */
};

/* Nonzero split: where a thread block begins. A boundary that cuts a row near its start is moved back to the
 * start of the row, so that most blocks share no row. A boundary that still cuts a row is flagged in rank. */
struct spmmi_block {
    uint32_t start; /* first nonzero */
    uint32_t rank;  /* rank of its row, with the flag SPMMI_ITEM_INSIDE if the row began before */
};

/* The items of one part on the device. item_rank has item_count + 1 entries. */
struct spmmi_stream_items {
    uint32_t item_count, item_size;
    const uint32_t *item_rank; /* rank of the first nonzero, flagged SPMMI_ITEM_INSIDE; then ranks */
    const uint32_t
        *item_start; /* first nonzero of each item, then nnz; NULL: item i starts at i * item size */
};

/* One launch of a rows kernel on the GPU: C(:, 0..n) = alpha * P * B(:, 0..n) + beta * C(:, 0..n). B is
 * row-major, C has either layout. Row-major C is written in words of shape.vec values. */
struct spmmi_rows_cuda {
    struct spmmi_stream stream;
    struct spmmi_stream_items items;
    uint32_t items_per_group;         /* row split: consecutive items per lane group; one column: rows */
    uint32_t share;                   /* teams: number of groups that share a row, a power of two */
    const struct spmmi_block *blocks; /* nonzero split: block_count + 1 blocks */
    const struct spmmi_slice *slices; /* sliced rows: one per slice, then the end of the last slice */
    int slice_index;                  /* enum spmmi_slice_index */
    uint32_t block_count;             /* blocks of the grid that have nonzeros */
    uint32_t block_nonzeros; /* nonzero split: distance of unmoved boundaries; few columns: most nonzeros */
    const void *b;
    void *c;
    uint32_t ldb; /* elements */
    uint64_t ldc;
    int b_has_whole_words; /* few columns: B may be loaded in words of shape.vec */
    uint32_t rows_of_b, rows_of_c;
    int c_is_col_major, keeps_c; /* blocks keep the sums of column-major C (rows_columns.cuh) */
    uint32_t n;
    double alpha, beta;
    double a_value; /* value of each entry of A, for instances that read no values */
    /* Nonzero split: workspace for rows that blocks share. */
    uint64_t *arrivals; /* one counter per block and column tile: kernels/shared/arrival.h */
    uint64_t arrival_tag;
    void *slots; /* partial sums, see rows.cuh */
    /* Rows rows_of_c, rows_of_c + 1, .. of row_of_rank are pieces of rows (rows_pieces.h). Their sums are
     * stored in piece_count rows of piece_pitch values. */
    void *pieces;
    uint32_t piece_count, piece_pitch;
    void *cuda_stream;
    int is_crowded;   /* row split: runs one more block per multiprocessor, if there is such an instance */
    int prefetches;   /* waits for a conversion of B, and loads A into the L2 cache meanwhile */
    int is_dependent; /* may start before the previous kernel in the stream has ended: sm_90 */
};

/* Returns a cudaError_t; 0 means that the kernel was enqueued. */
typedef int (*spmmi_rows_cuda_fn)(const struct spmmi_rows_cuda *args);
/* Value types of a product; a = 0: all values of A are a_value and are not read. */
struct spmmi_rows_types {
    int a, b, c;
};
/* Returns the instance for a schedule (1 row split, 2 nonzero split), types and shape; NULL if there is
 * none. */
spmmi_rows_cuda_fn spmmi_rows_cuda_kernel(int schedule, struct spmmi_rows_types types,
                                          struct spmmi_rows_shape shape);

#ifdef __cplusplus
}
#endif
#endif
