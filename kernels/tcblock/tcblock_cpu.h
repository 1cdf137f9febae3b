/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the window, panel and bcsr families on the CPU share.
 *
 * tcblock_cpu.c splits the product into items and column tiles; the arithmetic is done by one table of functions
 * for each SIMD level and compute type. An element of C adds its products step by step, in register order within a
 * block (bcsr: by column), with fused multiply-adds, whatever the level, the tile and the threads. */
#ifndef SPMMI_TCBLOCK_CPU_H
#define SPMMI_TCBLOCK_CPU_H

#include "executor/product.h"
#include "tcblock_kernel.h"

#define TCBLOCK_CPU_ROWS_MAX 256
#define TCBLOCK_CPU_STEP_MAX SPMMI_TCBLOCK_PANEL_STEP /* columns of a step */
#define TCBLOCK_CPU_BLOCK_MAX 16                      /* columns of a block */
#define TCBLOCK_CPU_COLUMNS_MAX 32

/* One product. It rounds and splits values as the tensor-core kernels do, except for ties, and has f32 sums as they do.
 * It also takes compute type f32, which they lack: values are then multiplied unrounded. */
struct tcblock_cpu_job {
    const struct spmmi_tcblocks *layout;
    const struct spmmi_product *product;
    void *workspace; /* the slots: slot_count * unit_rows * n sums */
};

/* Same bits at any number of threads; 0: OpenMP's default. */
void tcblock_cpu_run(const struct tcblock_cpu_job *job, int threads);

/* Columns [first, first + width) of one item; columns >= width: the instance, 4, 8, 16 or 32. */
struct tcblock_cpu_tile {
    const struct tcblock_cpu_job *job;
    const struct spmmi_tcblock_item *item;
    int columns;
    int64_t first, width;
};

struct tcblock_cpu_ops {
    void (*item)(const struct tcblock_cpu_tile *tile);
    /* Row r of a unit that was cut: the sum of its slots, in order, goes to C. */
    void (*join)(const struct tcblock_cpu_job *job, const struct spmmi_tcblock_split *split, uint32_t r);
    /* n values of C times beta; beta = 0 does not read them. */
    void (*scale)(int64_t n, double beta, void *c);
};

/* By compute type. The levels beyond the portable one exist on x86-64 only. */
extern const struct tcblock_cpu_ops spmmi_tcblock_cpu_portable[SPMM_COMPUTE_3XTF32 + 1];
extern const struct tcblock_cpu_ops spmmi_tcblock_cpu_avx2[SPMM_COMPUTE_3XTF32 + 1];

#endif
