/* SPDX-License-Identifier: Apache-2.0 */
/* The window, panel and bcsr families on the CPU: items and tiles of columns in parallel, then the units that were
 * cut. */
#include "fragment_cpu.h"

#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which threads cost more than they give */
#define ROWS_A_TURN 128             /* of a thread */

static const struct fragment_cpu_ops *ops_pick(spmm_compute_t compute)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &spmmi_fragment_cpu_avx2[compute];
#endif
    return &spmmi_fragment_cpu_portable[compute];
}

/* C = beta * C, for products in which A has no part. */
static void scale_run(const struct fragment_cpu_job *job)
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
        ops_pick(product->compute)->scale(length, product->beta, (char *)c->data + i * line_bytes);
}

static void items_run(const struct fragment_cpu_job *job, int threads)
{
    const struct spmmi_fragments *layout = job->layout;
    const struct fragment_cpu_ops *ops = ops_pick(job->product->compute);
    const int64_t n = job->product->b.cols;
    const int turn = layout->unit_rows >= ROWS_A_TURN ? 1 : ROWS_A_TURN / (int)layout->unit_rows;
    int columns = 4;
    while (columns < FRAGMENT_CPU_COLUMNS_MAX && columns < n)
        columns *= 2;
    const int64_t tiles = (n + columns - 1) / columns;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, turn)
        for (int64_t i = 0; i < layout->item_count * tiles; i++) {
            struct fragment_cpu_tile tile = {job, &layout->items[i / tiles], columns, i % tiles * columns,
                                             columns};
            if (n - tile.first < columns)
                tile.width = n - tile.first;
            ops->item(&tile);
        }
#pragma omp for schedule(dynamic, ROWS_A_TURN) nowait
        for (int64_t i = 0; i < (int64_t)layout->split_count * layout->unit_rows; i++)
            ops->join(job, &layout->splits[i / layout->unit_rows], (uint32_t)(i % layout->unit_rows));
    }
}

void fragment_cpu_run(const struct fragment_cpu_job *job, int threads)
{
    const struct spmmi_fragments *layout = job->layout;
    const int64_t n = job->product->b.cols;
    const int64_t work = (int64_t)layout->block_count * layout->block_rows * layout->block_columns / 4;
    if (layout->rows == 0 || n == 0)
        return;
    if (job->product->alpha == 0 || layout->block_count == 0)
        scale_run(job);
    else
        items_run(job, work <= PARALLEL_WORK_MIN / n ? 1 : threads > 0 ? threads : omp_get_max_threads());
}
