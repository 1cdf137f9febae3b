/* SPDX-License-Identifier: Apache-2.0 */
/* The tiled family on the CPU: panels and tiles of columns in parallel, then the rows that were cut. */
#include "tiled_cpu.h"

#include <stdbool.h>
#include <stddef.h>

#include <omp.h>

#define PARALLEL_WORK_MIN (1 << 15) /* multiplications below which threads cost more than they give */

static const struct tiled_cpu_ops *ops_pick(int dtype)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &spmmi_tiled_cpu_avx2[dtype - 1];
#endif
    return &spmmi_tiled_cpu_portable[dtype - 1];
}

static uint64_t number_bytes(int dtype)
{
    return dtype <= 2 ? spmmi_tiled_sum_bytes(dtype) : sizeof(uint16_t);
}

uint64_t spmmi_tiled_host_workspace(const struct spmmi_tiled *layout, int dtype, int64_t n)
{
    uint64_t bytes = 0;
    const bool overflows =
        __builtin_mul_overflow(layout->partial_count * spmmi_tiled_sum_bytes(dtype), (uint64_t)n, &bytes);
    return overflows ? UINT64_MAX : bytes;
}

/* Columns of a tile: no more than cover n, and more than four only if the stage leaves half of the room. */
static int columns_pick(const struct spmmi_tiled_host *args, int dtype)
{
    int columns = 4;
    while (columns < TILED_CPU_COLUMNS_MAX && columns < args->n &&
           (args->layout->stage_slots + 1) * spmmi_tiled_sum_bytes(dtype) * 2 * (uint64_t)columns <=
               TILED_CPU_STAGE_BYTES / 2)
        columns *= 2;
    return columns;
}

/* C = beta * C, for products in which A has no part. */
static void scale_run(const struct spmmi_tiled_host *args, int dtype)
{
    const int64_t lines = args->c_is_col_major ? args->n : args->layout->rows;
    const int64_t length = args->c_is_col_major ? args->layout->rows : args->n;
    const int64_t line_bytes = args->ldc * (int64_t)number_bytes(dtype);
    if (args->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        ops_pick(dtype)->scale(length, args->beta, (char *)args->c + i * line_bytes);
}

static void run(const struct spmmi_tiled_host *args, int dtype)
{
    const struct spmmi_tiled *layout = args->layout;
    const struct tiled_cpu_ops *ops = ops_pick(dtype);
    if (layout->rows == 0 || args->n == 0)
        return;
    if (args->alpha == 0 || layout->slice_count == 0) {
        scale_run(args, dtype);
        return;
    }
    const int64_t work = (int64_t)layout->slice_count * SPMMI_TILED_LANES;
    const int threads = work <= PARALLEL_WORK_MIN / args->n ? 1
                        : args->threads > 0                 ? args->threads
                                                            : omp_get_max_threads();
    const int columns = columns_pick(args, dtype);
    const int64_t tiles = (args->n + columns - 1) / columns;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < layout->panel_count * tiles; i++) {
            struct tiled_cpu_tile tile = {args, (uint32_t)(i / tiles), columns, i % tiles * columns, columns};
            if (args->n - tile.first < columns)
                tile.width = args->n - tile.first;
            ops->panel(&tile);
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (uint32_t i = 0; i < layout->split_count; i++)
            ops->join(args, &layout->splits[i]);
    }
}

#define INSTANCE(name, dtype)                             \
    static void name(const struct spmmi_tiled_host *args) \
    {                                                     \
        run(args, dtype);                                 \
    }
INSTANCE(run_f32, 1)
INSTANCE(run_f64, 2)
INSTANCE(run_f16, 3)
INSTANCE(run_bf16, 4)

const spmmi_tiled_host_fn spmmi_tiled_host_kernels[4] = {run_f32, run_f64, run_f16, run_bf16};
