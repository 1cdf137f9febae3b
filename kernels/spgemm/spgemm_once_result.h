/* SPDX-License-Identifier: Apache-2.0 */
/* The block of memory for C of a product without a plan on a GPU: row pointers, then values and columns. */
#ifndef SPMMI_SPGEMM_ONCE_RESULT_H
#define SPMMI_SPGEMM_ONCE_RESULT_H

#include <stdint.h>

#include <spmm/common.h>

/* Offsets of the arrays, and size of the block, in bytes. */
struct spmmi_once_result {
    uint64_t values, columns, bytes;
};

struct spmmi_once_result spmmi_once_result_of(int64_t rows, uint64_t nnz, spmm_dtype_t dtype);

/* Rounds up the size of an array that shares a block. */
static inline uint64_t spmmi_once_aligned(uint64_t bytes)
{
    const uint64_t alignment = 256;
    return (bytes + alignment - 1) / alignment * alignment;
}

#endif
