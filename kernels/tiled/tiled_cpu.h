/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the CPU files of the tiled family share.
 *
 * tiled_cpu.c splits the product into row blocks and column tiles. A table of functions per SIMD level and
 * value type does the arithmetic. Each unit adds its entries in their order with fused multiply-adds. This
 * order does not depend on the SIMD level, the tile or the number of threads. */
#ifndef SPMMI_TILED_CPU_H
#define SPMMI_TILED_CPU_H

#include "executor/product.h"
#include "tiled_kernel.h"

#define TILED_CPU_ROW_BLOCK_MAX 256
#define TILED_CPU_COLUMNS_MAX 32
#define TILED_CPU_STAGE_BYTES \
    (1 << 18) /* size of the stage on the stack, next to the sums; the widest stage of 4 columns fits */

/* One product. */
struct tiled_cpu_job {
    const struct spmmi_tiled *layout;
    const struct spmmi_product *product;
    void *workspace; /* partial sums */
};

/* Returns the bytes of the partial sums; UINT64_MAX on overflow. */
uint64_t tiled_cpu_workspace(const struct spmmi_tiled *layout, const struct spmmi_product *product);
/* Runs the product. The result has the same bits for any number of threads; 0: OpenMP's default. */
void tiled_cpu_run(const struct tiled_cpu_job *job, int threads);

/* Columns [first, first + width) of one row block. `columns` selects the instance: 4, 8,
 * 16 or 32, at least width. */
struct tiled_cpu_tile {
    const struct tiled_cpu_job *job;
    uint32_t row_block;
    int columns;
    int64_t first, width;
};

struct tiled_cpu_ops {
    void (*row_block)(const struct tiled_cpu_tile *tile);
    /* Stores a split row in C: the sum of its partial sums, added in order. */
    void (*join)(const struct tiled_cpu_job *job, const struct spmmi_tiled_split *split);
    /* Multiplies n values of C by beta; does not read them if beta = 0. */
    void (*scale)(int64_t n, double beta, void *c);
};

/* Tables by value type. Levels other than the portable one exist on x86-64 only. */
extern const struct tiled_cpu_ops spmmi_tiled_cpu_portable[SPMM_BF16 + 1];
extern const struct tiled_cpu_ops spmmi_tiled_cpu_avx2[SPMM_BF16 + 1];

#endif
