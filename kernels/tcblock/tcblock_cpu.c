/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the window, panel and bcsr families on the CPU: first items and column tiles in parallel,
 * then the sums of split units. */
#include "tcblock_cpu.h"

#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"

#define ROWS_A_TURN 128 /* rows that a thread takes at a time */

static const struct tcblock_cpu_ops *ops_pick(spmm_compute_t compute)
{
    return &SPMMI_CPU_LEVEL(spmmi_tcblock_cpu)[compute];
}

static void items_run(const struct tcblock_cpu_job *job, int threads)
{
    const struct spmmi_tcblocks *layout = job->layout;
    const struct tcblock_cpu_ops *ops = ops_pick(job->product->compute);
    const int64_t n = job->product->b.cols;
    const int turn = layout->unit_rows >= ROWS_A_TURN ? 1 : ROWS_A_TURN / (int)layout->unit_rows;
    int columns = 4;
    while (columns < TCBLOCK_CPU_COLUMNS_MAX && columns < n)
        columns *= 2;
    const int64_t tiles = (n + columns - 1) / columns;
#pragma omp parallel num_threads(spmmi_team(threads))
    {
#pragma omp for schedule(dynamic, turn)
        for (int64_t i = 0; i < layout->item_count * tiles; i++) {
            struct tcblock_cpu_tile tile = {job, &layout->items[i / tiles], columns, i % tiles * columns,
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

void tcblock_cpu_run(const struct tcblock_cpu_job *job, int threads)
{
    const struct spmmi_tcblocks *layout = job->layout;
    const int64_t n = job->product->b.cols;
    const int64_t work = (int64_t)layout->block_count * layout->block_rows * layout->block_columns / 4;
    if (layout->rows == 0 || n == 0)
        return;
    if (job->product->alpha == 0 || layout->block_count == 0)
        spmmi_cpu_scale(job->product, layout->rows, ops_pick(job->product->compute)->scale);
    else
        items_run(job, spmmi_cpu_threads(work, n, threads));
}
