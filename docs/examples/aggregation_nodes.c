/* SPDX-License-Identifier: Apache-2.0 */
/* See aggregation.h: groups nodes into aggregates. */
#include <string.h>

#include "aggregation.h"

/* A node with only free neighbours forms an aggregate with them. Each remaining node joins a neighbouring aggregate.
 * Returns the number of columns of T. */
static int64_t aggregate(const spmm_csr_t *a, int32_t *column)
{
    const int64_t *row_ptr = a->row_ptr;
    const int32_t *col_ind = a->col_ind;
    int32_t count = 0;
    memset(column, -1, (size_t)a->rows * sizeof *column);
    for (int64_t turn = 0; turn < 2 * a->rows; turn += AGGREGATION_NODE) {
        const int64_t i = turn % a->rows, first = row_ptr[i], end = row_ptr[i + AGGREGATION_NODE];
        int32_t beside = -1;
        for (int64_t p = first; p < end; p++)
            beside = column[col_ind[p]] >= 0 ? column[col_ind[p]] / AGGREGATION_NODE : beside;
        if (column[i] >= 0 || (beside >= 0 && turn < a->rows))
            continue;
        const int32_t own = beside >= 0 ? beside : count++;
        for (int64_t p = first; p < end; p++) {
            const int64_t node = col_ind[p] / AGGREGATION_NODE * AGGREGATION_NODE;
            for (int u = 0; u < AGGREGATION_NODE && (beside < 0 || node == i); u++)
                column[node + u] = own * AGGREGATION_NODE + u;
        }
    }
    return (int64_t)count * AGGREGATION_NODE;
}

spmm_csr_t aggregation_t(const spmm_csr_t *a)
{
    const size_t rows = (size_t)a->rows;
    int64_t *const row_ptr = (void *)device_cpu.allocate((rows + 1) * sizeof *row_ptr);
    int32_t *const column = (void *)device_cpu.allocate(rows * sizeof *column);
    double *const ones = device_cpu.allocate(rows * sizeof *ones);
    for (size_t i = 0; i < rows; i++) {
        row_ptr[i + 1] = (int64_t)i + 1;
        ones[i] = 1;
    }
    return (spmm_csr_t){a->rows, aggregate(a, column), a->rows, SPMM_I64, SPMM_I32, row_ptr, column, SPMM_F64,
                        ones};
}
