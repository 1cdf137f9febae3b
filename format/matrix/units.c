/* SPDX-License-Identifier: Apache-2.0 */
/* See units.h. */
#include "units.h"

#include <stddef.h>

uint64_t spmmi_units_count(int64_t rows, const int64_t *row_ptr, uint32_t segment)
{
    uint64_t count = 0;
    if (segment == 0)
        return (uint64_t)rows;
    for (int64_t row = 0; row < rows; row++)
        count += spmmi_units_of_row(row_ptr[row + 1] - row_ptr[row], segment);
    return count;
}

void spmmi_units_cut(int64_t rows, const int64_t *row_ptr, uint32_t segment, int64_t *unit_ptr,
                     uint32_t *unit_row)
{
    uint64_t unit = 0;
    for (int64_t row = 0; row < rows; row++) {
        const uint64_t count = spmmi_units_of_row(row_ptr[row + 1] - row_ptr[row], segment);
        for (uint64_t i = 0; i < count; i++, unit++) {
            unit_ptr[unit] = row_ptr[row] + (int64_t)(i * segment);
            if (unit_row != NULL)
                unit_row[unit] = (uint32_t)row;
        }
    }
    unit_ptr[unit] = row_ptr[rows];
}
