/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the dense family in plan files, and the largest A that it accepts. */
#ifndef SPMMI_DENSE_SHAPE_H
#define SPMMI_DENSE_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/plan.h>

#define SPMMI_DENSE ((spmm_family_t)6)
#define SPMMI_DENSE_GEMM ((spmm_schedule_t)7)

/* Maximum bytes of A with its zeros over the bytes of its CSR arrays. It admits 16-bit types down to a
 * density of about 1 %, where rows is predicted to be as fast. */
#define SPMMI_DENSE_CSR_TIMES 32.0

#define SPMMI_DENSE_ROW_BYTES 16u /* rows of op(A) begin at multiples of this: whole words of 16 bytes */
#define SPMMI_DENSE_ENTRIES_MAX UINT64_C(0xfffffff0) /* maximum of op(A) with its gaps: 32-bit positions */

/* For 3xtf32 an f32 value is split into two tf32 values, high and low. Three blocks side by side give A * B
 * without low times low, as one dense product with three times as many entries of k:
 *
 *     (low  high  high) of A  times  (high  low  high) of B
 *
 * tf32 needs only the last block. */
#define SPMMI_DENSE_BLOCKS 3u

/* Returns the number of elements from a row of op(A), or of one of its blocks, to the next. */
static inline uint64_t spmmi_dense_lda(int64_t cols, spmm_dtype_t dtype)
{
    const uint64_t word = SPMMI_DENSE_ROW_BYTES / spmm_dtype_size(dtype);
    return ((uint64_t)cols + word - 1) / word * word;
}

/* Returns the rows of op(A) including the rows of zeros at its end, which 16-bit types have. */
static inline uint64_t spmmi_dense_rows_padded(uint64_t rows, spmm_dtype_t dtype)
{
    const uint64_t word = SPMMI_DENSE_ROW_BYTES / 2;
    return spmm_dtype_size(dtype) == 2 ? (rows + word - 1) / word * word : rows;
}

/* Returns true for 16-bit types if rows of A are not whole words. */
static inline int spmmi_dense_is_unaligned(int64_t cols, size_t value_bytes)
{
    return value_bytes == 2 && cols % (SPMMI_DENSE_ROW_BYTES / 2) != 0;
}

/* Returns true if zeros are appended along k for such types, which the library's fast kernels need. Not for
 * few rows, whose time is the time of reading B (docs/decisions/0097). */
#define SPMMI_DENSE_PAD_ROWS_MIN 65
static inline int spmmi_dense_pads(int64_t rows, int64_t cols, size_t value_bytes)
{
    return spmmi_dense_is_unaligned(cols, value_bytes) && rows >= SPMMI_DENSE_PAD_ROWS_MIN;
}

/* Returns true if the library writes C through a copy: its fast kernels do not store columns of 16-bit types
 * that begin at other addresses than multiples of 8 bytes (docs/decisions/0116). */
#define SPMMI_DENSE_C_WORD 4
static inline int spmmi_dense_copies_c(size_t value_bytes, int64_t c_step)
{
    return value_bytes == 2 && c_step % SPMMI_DENSE_C_WORD != 0;
}

/* Returns the base-2 logarithm of the number of threads of a block that share a line of `words` words: enough
 * for the line, at most all threads. */
#define SPMMI_DENSE_LINE_THREADS 256u
static inline uint32_t spmmi_dense_line_threads_log2(int64_t words)
{
    uint32_t log2 = 0;
    while (1u << log2 < SPMMI_DENSE_LINE_THREADS && (int64_t)1 << log2 < words)
        log2++;
    return log2;
}

#endif
