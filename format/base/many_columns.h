/* SPDX-License-Identifier: Apache-2.0 */
/* When a matrix has so many columns that memory and time must follow its nonzeros alone: one rule for all. */
#ifndef SPMMI_MANY_COLUMNS_H
#define SPMMI_MANY_COLUMNS_H

#include <stdint.h>

/* Are columns so many for the nonzeros that arrays over all of them would be much larger than the matrix? Then columns
 * with nonzeros are numbered anew, or sorted. */
static inline int spmmi_columns_are_many(int64_t cols, int64_t nnz)
{
    return cols > 4 * nnz + 65536;
}

#endif
