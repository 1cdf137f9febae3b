/* SPDX-License-Identifier: Apache-2.0 */
/* The row of a nonzero, for messages. */
#ifndef SPMMI_NONZERO_ROW_H
#define SPMMI_NONZERO_ROW_H

#include <stdint.h>

/* Returns the row of nonzero p, which must be below the last row pointer. */
static inline int64_t spmmi_nonzero_row(const int64_t *row_ptr, int64_t p)
{
    int64_t row = 0;
    while (row_ptr[row + 1] <= p)
        row++;
    return row;
}

#endif
