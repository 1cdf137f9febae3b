/* SPDX-License-Identifier: Apache-2.0 */
/* The units of the tiled family:
 * rows, or segments of rows as the rule SEGMENTS in format/plan.h defines them. */
#ifndef SPMMI_UNITS_H
#define SPMMI_UNITS_H

#include <stdint.h>

/* Returns the number of units of a row with length nonzeros.
 * An empty row is one empty unit, so that a unit writes it. */
static inline uint64_t spmmi_units_of_row(int64_t length, uint32_t segment)
{
    if (segment == 0 || length == 0)
        return 1;
    return (uint64_t)(length / segment + (length % segment != 0));
}

/* Returns the number of units of rows that are cut into
 * segments of at most `segment` nonzeros. 0: whole rows. */
uint64_t spmmi_units_count(int64_t rows, const int64_t *row_ptr, uint32_t segment);

/* Cuts rows into units. Writes unit_ptr[count + 1]: unit u has the nonzeros [unit_ptr[u], unit_ptr[u + 1]);
 * and, unless it is NULL, unit_row[count]: the row of each unit. */
void spmmi_units_cut(int64_t rows, const int64_t *row_ptr, uint32_t segment, int64_t *unit_ptr,
                     uint32_t *unit_row);

#endif
