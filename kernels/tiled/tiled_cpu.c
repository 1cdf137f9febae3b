/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on the CPU: panels and tiles of columns in parallel, then the rows that were cut. */
#include "tiled_cpu.h"

#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which threads cost more than they give */

static const struct tiled_cpu_ops *ops_pick(spmm_dtype_t dtype)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &spmmi_tiled_cpu_avx2[dtype];
#endif
    return &spmmi_tiled_cpu_portable[dtype];
}

uint64_t tiled_cpu_workspace(const struct spmmi_tiled *layout, const struct spmmi_product *product)
{
    uint64_t bytes = 0;
    const uint64_t column = layout->partial_count * spmmi_tiled_sum_bytes((int)product->a_type);
    return __builtin_mul_overflow(column, (uint64_t)product->b.cols, &bytes) ? UINT64_MAX : bytes;
}

/* Columns of a tile: no more than cover n, and more than four only if the stage leaves half of the room. */
static int columns_pick(const struct tiled_cpu_job *job)
{
    const uint64_t column_bytes =
        (job->layout->stage_slots + 1) * spmmi_tiled_sum_bytes((int)job->product->a_type);
    int columns = 4;
    while (columns < TILED_CPU_COLUMNS_MAX && columns < job->product->b.cols &&
           column_bytes * 2 * (uint64_t)columns <= TILED_CPU_STAGE_BYTES / 2)
        columns *= 2;
    return columns;
}

/* C = beta * C, for products in which A has no part. */
static void scale_run(const struct tiled_cpu_job *job)
{
    const struct spmmi_product *product = job->product;
    const spmm_dense_t *c = &product->c;
    const bool is_turned = c->order == SPMM_COL_MAJOR;
    const int64_t lines = is_turned ? product->b.cols : job->layout->rows;
    const int64_t length = is_turned ? job->layout->rows : product->b.cols;
    const int64_t line_bytes = c->ld * (int64_t)spmm_dtype_size(c->type);
    if (product->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        ops_pick(product->a_type)->scale(length, product->beta, (char *)c->data + i * line_bytes);
}

static void panels_run(const struct tiled_cpu_job *job, int threads)
{
    const struct spmmi_tiled *layout = job->layout;
    const struct tiled_cpu_ops *ops = ops_pick(job->product->a_type);
    const int columns = columns_pick(job);
    const int64_t n = job->product->b.cols, tiles = (n + columns - 1) / columns;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < layout->panel_count * tiles; i++) {
            struct tiled_cpu_tile tile = {job, (uint32_t)(i / tiles), columns, i % tiles * columns, columns};
            if (n - tile.first < columns)
                tile.width = n - tile.first;
            ops->panel(&tile);
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (uint32_t i = 0; i < layout->split_count; i++)
            ops->join(job, &layout->splits[i]);
    }
}

void tiled_cpu_run(const struct tiled_cpu_job *job, int threads)
{
    const struct spmmi_tiled *layout = job->layout;
    const int64_t n = job->product->b.cols, work = (int64_t)layout->slice_count * SPMMI_TILED_LANES;
    if (layout->rows == 0 || n == 0)
        return;
    if (job->product->alpha == 0 || layout->slice_count == 0)
        scale_run(job);
    else
        panels_run(job, work <= PARALLEL_WORK_MIN / n ? 1 : threads > 0 ? threads : omp_get_max_threads());
}
