/* SPDX-License-Identifier: Apache-2.0 */
/* The common rule for matrices with very many columns, for
 * which memory and time must depend on the nonzeros alone. */
#ifndef SPMMI_MANY_COLUMNS_H
#define SPMMI_MANY_COLUMNS_H

#include <stdint.h>

/* Returns true if an array over all columns would be much larger than the matrix. Callers then renumber or
 * sort the columns that have nonzeros. */
static inline int spmmi_columns_are_many(int64_t cols, int64_t nnz)
{
    return cols > 4 * nnz + 65536;
}

#endif
