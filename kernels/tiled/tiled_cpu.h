/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the tiled family on the CPU share.
 *
 * tiled_cpu.c splits the product into row blocks and column tiles; the arithmetic is done by one table of
 * functions for each SIMD level and value type. Each unit adds its entries in their order with fused
 * multiply-adds, whatever the level, the tile and the threads.                                     */
#ifndef SPMMI_TILED_CPU_H
#define SPMMI_TILED_CPU_H

#include "executor/product.h"
#include "tiled_kernel.h"

#define TILED_CPU_ROW_BLOCK_MAX 256
#define TILED_CPU_COLUMNS_MAX 32
#define TILED_CPU_STAGE_BYTES \
    (1 << 18) /* the widest stage of 4 columns fits in it; on the stack, with the sums */

/* One product. */
struct tiled_cpu_job {
    const struct spmmi_tiled *layout;
    const struct spmmi_product *product;
    void *workspace; /* partial sums */
};

/* Bytes of the partial sums; UINT64_MAX where they overflow. */
uint64_t tiled_cpu_workspace(const struct spmmi_tiled *layout, const struct spmmi_product *product);
/* Same bits at any number of threads; 0: OpenMP's default. */
void tiled_cpu_run(const struct tiled_cpu_job *job, int threads);

/* Columns [first, first + width) of one row block; columns >= width: the instance, 4, 8, 16 or 32. */
struct tiled_cpu_tile {
    const struct tiled_cpu_job *job;
    uint32_t row_block;
    int columns;
    int64_t first, width;
};

struct tiled_cpu_ops {
    void (*row_block)(const struct tiled_cpu_tile *tile);
    /* A row that was cut: the sum of its partial sums, in order, goes to C. */
    void (*join)(const struct tiled_cpu_job *job, const struct spmmi_tiled_split *split);
    /* n values of C times beta; beta = 0 does not read them. */
    void (*scale)(int64_t n, double beta, void *c);
};

/* By value type. The levels beyond the portable one exist on x86-64 only. */
extern const struct tiled_cpu_ops spmmi_tiled_cpu_portable[SPMM_BF16 + 1];
extern const struct tiled_cpu_ops spmmi_tiled_cpu_avx2[SPMM_BF16 + 1];

#endif
