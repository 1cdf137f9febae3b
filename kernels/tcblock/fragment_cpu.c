/* SPDX-License-Identifier: Apache-2.0 */
/* The window, panel and bcsr families on the CPU: items and tiles of columns in parallel, then the units that were
 * cut. */
#include "fragment_cpu.h"

#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which threads cost more than they give */
#define ROWS_A_TURN 128             /* of a thread */

static const struct fragment_cpu_ops *ops_pick(int compute)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &spmmi_fragment_cpu_avx2[compute - 1];
#endif
    return &spmmi_fragment_cpu_portable[compute - 1];
}

/* C = beta * C, for products in which A has no part. */
static void scale_run(const struct spmmi_fragment_host *args)
{
    const int64_t lines = args->c_is_col_major ? args->n : args->layout->rows;
    const int64_t length = args->c_is_col_major ? args->layout->rows : args->n;
    const int64_t line_bytes =
        args->ldc * (args->dtype > 2 ? 2 : (int64_t)spmmi_tiled_sum_bytes(args->dtype));
    if (args->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        ops_pick(args->compute)->scale(length, args->beta, (char *)args->c + i * line_bytes);
}

void spmmi_fragment_host_run(const struct spmmi_fragment_host *args)
{
    const struct spmmi_fragments *layout = args->layout;
    const struct fragment_cpu_ops *ops = ops_pick(args->compute);
    if (layout->rows == 0 || args->n == 0)
        return;
    if (args->alpha == 0 || layout->block_count == 0) {
        scale_run(args);
        return;
    }
    const int64_t work = (int64_t)layout->block_count * layout->block_rows * layout->block_columns / 4;
    const int threads = work <= PARALLEL_WORK_MIN / args->n ? 1
                        : args->threads > 0                 ? args->threads
                                                            : omp_get_max_threads();
    const int turn = layout->unit_rows >= ROWS_A_TURN ? 1 : ROWS_A_TURN / (int)layout->unit_rows;
    int columns = 4;
    while (columns < FRAGMENT_CPU_COLUMNS_MAX && columns < args->n)
        columns *= 2;
    const int64_t tiles = (args->n + columns - 1) / columns;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, turn)
        for (int64_t i = 0; i < layout->item_count * tiles; i++) {
            struct fragment_cpu_tile tile = {args, &layout->items[i / tiles], columns, i % tiles * columns,
                                             columns};
            if (args->n - tile.first < columns)
                tile.width = args->n - tile.first;
            ops->item(&tile);
        }
#pragma omp for schedule(dynamic, ROWS_A_TURN) nowait
        for (int64_t i = 0; i < (int64_t)layout->split_count * layout->unit_rows; i++)
            ops->join(args, &layout->splits[i / layout->unit_rows], (uint32_t)(i % layout->unit_rows));
    }
}
