/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the window, panel and bcsr families on the CPU share.
 *
 * fragment_cpu.c cuts the product into items and tiles of columns; the arithmetic is done by one table of functions
 * for each SIMD level and compute type. An element of C adds its products step by step, in fragment order within a
 * block (bcsr: by column), with fused multiply-adds, whatever the level, the tile and the threads. */
#ifndef SPMMI_FRAGMENT_CPU_H
#define SPMMI_FRAGMENT_CPU_H

#include "executor/product.h"
#include "fragment_kernel.h"

#define FRAGMENT_CPU_ROWS_MAX 256
#define FRAGMENT_CPU_STEP_MAX SPMMI_FRAGMENT_PANEL_STEP /* columns of a step */
#define FRAGMENT_CPU_BLOCK_MAX 16                       /* columns of a block */
#define FRAGMENT_CPU_COLUMNS_MAX 32

/* One product. It rounds and splits numbers as the tensor cores' kernels do, but for ties, and keeps f32 sums as they
 * do; compute type f32, which those have not, multiplies numbers as they are. */
struct fragment_cpu_job {
    const struct spmmi_fragments *layout;
    const struct spmmi_product *product;
    void *workspace; /* the slots: slot_count * unit_rows * n sums */
};

/* Same bits at any number of threads; 0: OpenMP's default. */
void fragment_cpu_run(const struct fragment_cpu_job *job, int threads);

/* Columns [first, first + width) of one item; columns >= width: the instance, 4, 8, 16 or 32. */
struct fragment_cpu_tile {
    const struct fragment_cpu_job *job;
    const struct spmmi_fragment_item *item;
    int columns;
    int64_t first, width;
};

struct fragment_cpu_ops {
    void (*item)(const struct fragment_cpu_tile *tile);
    /* Row r of a unit that was cut: the sum of its slots, in order, goes to C. */
    void (*join)(const struct fragment_cpu_job *job, const struct spmmi_fragment_split *split, uint32_t r);
    /* n numbers of C times beta; beta = 0 does not read them. */
    void (*scale)(int64_t n, double beta, void *c);
};

/* By compute type. The levels beyond the portable one exist on x86-64 only. */
extern const struct fragment_cpu_ops spmmi_fragment_cpu_portable[SPMM_COMPUTE_3XTF32 + 1];
extern const struct fragment_cpu_ops spmmi_fragment_cpu_avx2[SPMM_COMPUTE_3XTF32 + 1];

#endif
