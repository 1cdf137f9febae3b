/* SPDX-License-Identifier: Apache-2.0 */
/* Computes row pointers from row lengths in place.
 * The lengths are stored at the end of the memory of the pointers. */
#ifndef SPMMI_ROW_LENGTHS_H
#define SPMMI_ROW_LENGTHS_H

#include <stdint.h>

/* Returns the address of the lengths (u32, little-endian,
 * rows of them) in the memory of rows + 1 pointers. */
static inline uint8_t *spmmi_row_lengths(int64_t *row_ptr, int64_t rows)
{
    return (uint8_t *)(row_ptr + 1) + (uint64_t)rows * sizeof(uint32_t);
}

/* Computes all rows + 1 pointers from the lengths at spmmi_row_lengths. */
void spmmi_row_lengths_add(int threads, int64_t *row_ptr, int64_t rows);

#endif
