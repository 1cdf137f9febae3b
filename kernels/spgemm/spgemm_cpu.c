/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse matrices on the CPU: threads process the units, then join the rows that were cut. */
#include "spgemm_cpu.h"

#include <omp.h>
#include <string.h>

#include "format/base/team.h"
#define TARGET
#define RANKED_LANES 4
#include "format/spgemm/spgemm_row_list.h"
#include "kernels/shared/level_cpu.h"

static int threads_of(uint64_t work, int threads)
{
    return spmmi_cpu_threads(work < INT64_MAX ? (int64_t)work : INT64_MAX, 1, threads);
}

int spmmi_spgemm_masks_pay(void)
{
    return spmmi_cpu_has_avx512();
}

static const struct spgemm_cpu_ops *ops_of(spmm_dtype_t dtype)
{
    return &(spmmi_cpu_has_avx512() ? spmmi_spgemm_cpu_avx512 : SPMMI_CPU_LEVEL(spmmi_spgemm_cpu))[dtype];
}

void spmmi_spgemm_run(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                      const struct spmmi_spgemm_values *values, int threads)
{
    const struct spgemm_cpu_ops *ops = ops_of(dtype);
    const size_t size = spmm_dtype_size(dtype), bytes = (size_t)spmmi_spgemm_sums(stage) * size;
#pragma omp parallel num_threads(spmmi_team(threads_of(stage->products, threads)))
    {
        char *const sums = (char *)values->sums + (size_t)omp_get_thread_num() * bytes;
        if (stage->positions == NULL)
            memset(sums, 0, (size_t)stage->sums * size);
#pragma omp for schedule(dynamic, 1)
        for (int64_t u = 0; u < stage->unit_count; u++) {
            if (stage->positions == NULL)
                ops->by_column(stage, values, &stage->units[u], sums);
            else
                ops->by_position(stage, values, &stage->units[u], sums);
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t r = 0; r < stage->cut_count; r++)
            ops->join(stage, values, &stage->cuts[r]);
    }
}

void spmmi_spgemm_run_once(const struct spmmi_spgemm_stage *stage, spmm_dtype_t dtype,
                           const struct spmmi_spgemm_values *values, const struct spmmi_spgemm_once *once,
                           int threads)
{
    const struct spgemm_cpu_ops *ops = ops_of(dtype);
    const size_t size = spmm_dtype_size(dtype), bytes = (size_t)spmmi_spgemm_sums(stage) * size;
    const int64_t *c = stage->c.row_ptr;
#pragma omp parallel num_threads(spmmi_team(threads_of(stage->products, threads)))
    {
        struct spmmi_spgemm_scratch *const scratch = &once->scratch[omp_get_thread_num()];
        char *const sums = (char *)values->sums + (size_t)omp_get_thread_num() * bytes;
        memset(sums, 0, (size_t)stage->sums * size);
#pragma omp for schedule(dynamic, 1)
        for (int64_t r = 0; r < stage->cut_count; r++) {
            const int64_t i = stage->cuts[r].row;
            spmmi_spgemm_row_columns(&stage->task, once->repeats, i, c[i + 1] - c[i], 0, scratch,
                                     once->col_ind + c[i]);
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t u = 0; u < stage->unit_count; u++) {
            if (stage->units[u].partial >= 0)
                ops->by_column(stage, values, &stage->units[u], sums);
            else
                ops->rows_once(stage, values, once, &stage->units[u], scratch, sums);
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t r = 0; r < stage->cut_count; r++)
            ops->join(stage, values, &stage->cuts[r]);
    }
}

void spmmi_spgemm_gather(spmm_dtype_t dtype, int64_t count, const int64_t *map, const void *from, void *to,
                         int threads)
{
#pragma omp parallel for schedule(static) num_threads(spmmi_team(threads_of((uint64_t)count, threads)))
    for (int64_t q = 0; q < count; q++) {
        if (dtype == SPMM_F32)
            ((float *)to)[q] = ((const float *)from)[map[q]];
        else
            ((double *)to)[q] = ((const double *)from)[map[q]];
    }
}

void spmmi_spgemm_scale(spmm_dtype_t dtype, int64_t count, double beta, void *c)
{
    if (beta == 0) {
        memset(c, 0, (size_t)count * spmm_dtype_size(dtype));
        return;
    }
    for (int64_t q = 0; q < count; q++) {
        if (dtype == SPMM_F32)
            ((float *)c)[q] = (float)beta * ((const float *)c)[q];
        else
            ((double *)c)[q] = beta * ((const double *)c)[q];
    }
}
