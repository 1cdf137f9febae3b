/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the tiled family on the CPU: first row blocks and column tiles in parallel,
 * then the sums of split rows. */
#include "tiled_cpu.h"

#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"

static const struct tiled_cpu_ops *ops_pick(spmm_dtype_t dtype)
{
    return &SPMMI_CPU_LEVEL(spmmi_tiled_cpu)[dtype];
}

uint64_t tiled_cpu_workspace(const struct spmmi_tiled *layout, const struct spmmi_product *product)
{
    uint64_t bytes = 0;
    const uint64_t column = layout->partial_count * spmmi_sum_bytes((int)product->a_type);
    return __builtin_mul_overflow(column, (uint64_t)product->b.cols, &bytes) ? UINT64_MAX : bytes;
}

/* Returns the columns of a tile: no more than cover n, and more than four only if the stage needs at most
 * half of TILED_CPU_STAGE_BYTES. */
static int columns_pick(const struct tiled_cpu_job *job)
{
    const uint64_t column_bytes = (job->layout->stage_slots + 1) * spmmi_sum_bytes((int)job->product->a_type);
    int columns = 4;
    while (columns < TILED_CPU_COLUMNS_MAX && columns < job->product->b.cols &&
           column_bytes * 2 * (uint64_t)columns <= TILED_CPU_STAGE_BYTES / 2)
        columns *= 2;
    return columns;
}

static void row_blocks_run(const struct tiled_cpu_job *job, int threads)
{
    const struct spmmi_tiled *layout = job->layout;
    const struct tiled_cpu_ops *ops = ops_pick(job->product->a_type);
    const int columns = columns_pick(job);
    const int64_t n = job->product->b.cols, tiles = (n + columns - 1) / columns;
#pragma omp parallel num_threads(spmmi_team(threads))
    {
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < layout->row_block_count * tiles; i++) {
            struct tiled_cpu_tile tile = {job, (uint32_t)(i / tiles), columns, i % tiles * columns, columns};
            if (n - tile.first < columns)
                tile.width = n - tile.first;
            ops->row_block(&tile);
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
        spmmi_cpu_scale(job->product, layout->rows, ops_pick(job->product->a_type)->scale);
    else
        row_blocks_run(job, spmmi_cpu_threads(work, n, threads));
}
