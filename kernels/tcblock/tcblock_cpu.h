/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the CPU files of the window, panel and bcsr families share.
 *
 * tcblock_cpu.c splits the product into items and column tiles. A table of functions per SIMD level and
 * compute type does the arithmetic. The products of an element of C are added step by step with fused
 * multiply-adds, in register order within a block (bcsr: by column). This order does not depend on the SIMD
 * level, the tile or the number of threads. */
#ifndef SPMMI_TCBLOCK_CPU_H
#define SPMMI_TCBLOCK_CPU_H

#include "executor/product.h"
#include "tcblock_kernel.h"

#define TCBLOCK_CPU_ROWS_MAX 256
#define TCBLOCK_CPU_STEP_MAX SPMMI_TCBLOCK_PANEL_STEP /* maximum number of columns per step */
#define TCBLOCK_CPU_BLOCK_MAX 16                      /* maximum number of columns per block */
#define TCBLOCK_CPU_COLUMNS_MAX 32

/* One product. Values are rounded and split as in the tensor-core kernels, except for ties, and sums are f32
 * as there. Compute type f32, which the GPU kernels lack, multiplies unrounded values. */
struct tcblock_cpu_job {
    const struct spmmi_tcblocks *layout;
    const struct spmmi_product *product;
    void *workspace; /* slots: slot_count * unit_rows * n sums */
};

/* Runs the product. The result has the same bits for any number of threads; 0: OpenMP's default. */
void tcblock_cpu_run(const struct tcblock_cpu_job *job, int threads);

/* Columns [first, first + width) of one item. `columns` selects the instance: 4, 8, 16 or 32, at least
 * width. */
struct tcblock_cpu_tile {
    const struct tcblock_cpu_job *job;
    const struct spmmi_tcblock_item *item;
    int columns;
    int64_t first, width;
};

struct tcblock_cpu_ops {
    void (*item)(const struct tcblock_cpu_tile *tile);
    /* Stores row r of a split unit in C: the sum of its slots, added in order. */
    void (*join)(const struct tcblock_cpu_job *job, const struct spmmi_tcblock_split *split, uint32_t r);
    /* Multiplies n values of C by beta; does not read them if beta = 0. */
    void (*scale)(int64_t n, double beta, void *c);
};

/* Tables by compute type. Levels other than the portable one exist on x86-64 only. */
extern const struct tcblock_cpu_ops spmmi_tcblock_cpu_portable[SPMM_COMPUTE_3XTF32 + 1];
extern const struct tcblock_cpu_ops spmmi_tcblock_cpu_avx2[SPMM_COMPUTE_3XTF32 + 1];

#endif
