/* SPDX-License-Identifier: Apache-2.0 */
/* See level_cpu.h. */
#include "level_cpu.h"

#include <omp.h>

#include "format/base/team.h"

#define PARALLEL_WORK_MIN (1 << 15) /* with fewer multiplications one thread is faster */

bool spmmi_cpu_has_avx2(void)
{
#if defined(__x86_64__) && !defined(SPMM_PORTABLE_CPU)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool spmmi_cpu_has_avx512(void)
{
#if defined(__x86_64__) && !defined(SPMM_PORTABLE_CPU)
    return spmmi_cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

int spmmi_cpu_threads(int64_t work, int64_t n, int threads)
{
    if (work <= PARALLEL_WORK_MIN / n)
        return 1;
    threads = threads > 0 ? threads : omp_get_max_threads();
    return threads < SPMMI_TEAM_MAX ? threads : SPMMI_TEAM_MAX;
}

void spmmi_cpu_scale(const struct spmmi_product *product, int64_t rows,
                     void (*scale)(int64_t n, double beta, void *c))
{
    const spmm_dense_t *c = &product->c;
    const bool is_turned = c->layout == SPMM_COL_MAJOR;
    const int64_t lines = is_turned ? product->b.cols : rows;
    const int64_t length = is_turned ? rows : product->b.cols;
    const int64_t line_bytes = c->ld * (int64_t)spmm_dtype_size(c->type);
    if (product->beta == 1)
        return;
    for (int64_t i = 0; i < lines; i++)
        scale(length, product->beta, (char *)c->data + i * line_bytes);
}
