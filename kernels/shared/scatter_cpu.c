/* SPDX-License-Identifier: Apache-2.0 */
/* See scatter_cpu.h. */
#include "scatter_cpu.h"

#include "format/base/team.h"
#include "kernel_base.h"

#define PARALLEL_VALUES_MIN 1000000 /* with fewer values one thread is faster */

void spmmi_cpu_scatter(spmm_dtype_t dtype, int64_t nnz, const uint32_t *map, const void *values, void *out)
{
    const size_t size = spmm_dtype_size(dtype);
#pragma omp parallel for num_threads(spmmi_team(nnz >= PARALLEL_VALUES_MIN ? 0 : 1))
    for (int64_t q = 0; q < nnz; q++) {
        if (map[q] == SPMMI_NONE)
            continue;
        if (size == 4)
            ((uint32_t *)out)[map[q]] = ((const uint32_t *)values)[q];
        else if (size == 2)
            ((uint16_t *)out)[map[q]] = ((const uint16_t *)values)[q];
        else
            ((uint64_t *)out)[map[q]] = ((const uint64_t *)values)[q];
    }
}
