/* SPDX-License-Identifier: Apache-2.0 */
/* The units of the tiled family, as format/plan.h defines them: rows, or segments of rows. */
#ifndef SPMMI_UNITS_H
#define SPMMI_UNITS_H

#include <stdint.h>

/* Units of a row of so many nonzeros; one without is an empty unit, so that some unit writes it. */
static inline uint64_t spmmi_units_of_row(int64_t length, uint32_t segment)
{
    if (segment == 0 || length == 0)
        return 1;
    return (uint64_t)(length / segment + (length % segment != 0));
}

/* Units of rows cut into segments of at most segment nonzeros; segment 0: whole rows. */
uint64_t spmmi_units_count(int64_t rows, const int64_t *row_ptr, uint32_t segment);

/* unit_ptr[count + 1]: the nonzeros of unit u are unit_ptr[u] .. unit_ptr[u + 1]; unit_row[count], which may be
 * NULL: the row of each. */
void spmmi_units_cut(int64_t rows, const int64_t *row_ptr, uint32_t segment, int64_t *unit_ptr,
                     uint32_t *unit_row);

#endif
