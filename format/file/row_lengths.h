/* SPDX-License-Identifier: Apache-2.0 */
/* Row pointers from lengths of rows, in place: the lengths lie in the upper half of the pointers' memory. */
#ifndef SPMMI_ROW_LENGTHS_H
#define SPMMI_ROW_LENGTHS_H

#include <stdint.h>

/* Where the u32 lengths lie, little endian, in memory of rows + 1 pointers. */
static inline uint8_t *spmmi_row_lengths(int64_t *row_ptr, int64_t rows)
{
    return (uint8_t *)(row_ptr + 1) + (uint64_t)rows * sizeof(uint32_t);
}

/* Sums of those lengths: all pointers. */
void spmmi_row_lengths_add(int threads, int64_t *row_ptr, int64_t rows);

#endif
