/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the dense family in plan files, and the largest A that it takes. */
#ifndef SPMMI_DENSE_SHAPE_H
#define SPMMI_DENSE_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include <spmm/plan.h>

#define SPMMI_DENSE ((spmm_family_t)6)
#define SPMMI_DENSE_GEMM ((spmm_schedule_t)7)

/* A with its zeros may take so many times the bytes of its CSR arrays: 16-bit types down to a density of 1 %, about
 * where rows is predicted to be as fast. */
#define SPMMI_DENSE_CSR_TIMES 32.0

#define SPMMI_DENSE_ROW_BYTES 16u /* rows of op(A) begin at multiples of this: whole words of 16 bytes */
#define SPMMI_DENSE_ENTRIES_MAX UINT64_C(0xfffffff0) /* of op(A) with its gaps: 32 bits number them */

/* Values of f32 that tensor cores multiply as 3xtf32 are two numbers of tf32, high and low. The product of three blocks
 * side by side is A * B without low times low, in one dense product over three times the entries of k:
 *
 *     (low  high  high) of A  times  (high  low  high) of B
 *
 * For tf32 the last block is enough. */
#define SPMMI_DENSE_BLOCKS 3u

/* Entries from a row of op(A) to the next, of a block. */
static inline uint64_t spmmi_dense_lda(int64_t cols, spmm_dtype_t dtype)
{
    const uint64_t word = SPMMI_DENSE_ROW_BYTES / spmm_dtype_size(dtype);
    return ((uint64_t)cols + word - 1) / word * word;
}

/* Rows of op(A) with rows of zeros behind them, of 16-bit types. */
static inline uint64_t spmmi_dense_rows_padded(uint64_t rows, spmm_dtype_t dtype)
{
    const uint64_t word = SPMMI_DENSE_ROW_BYTES / 2;
    return spmm_dtype_size(dtype) == 2 ? (rows + word - 1) / word * word : rows;
}

/* Types of 16 bits whose rows of A are no whole words. */
static inline int spmmi_dense_is_unaligned(int64_t cols, size_t value_bytes)
{
    return value_bytes == 2 && cols % (SPMMI_DENSE_ROW_BYTES / 2) != 0;
}

/* Of these: are zeros put behind k, which the library's fast kernels want? Not for few rows, where reading B takes the
 * time (docs/decisions/0097). */
#define SPMMI_DENSE_PAD_ROWS_MIN 65
static inline int spmmi_dense_pads(int64_t rows, int64_t cols, size_t value_bytes)
{
    return spmmi_dense_is_unaligned(cols, value_bytes) && rows >= SPMMI_DENSE_PAD_ROWS_MIN;
}

/* Columns of C of 16-bit types that begin at no multiple of 8 bytes are not stored by the library's fast kernels: they
 * go by way of columns that do (docs/decisions/0116). */
#define SPMMI_DENSE_C_WORD 4
static inline int spmmi_dense_copies_c(size_t value_bytes, int64_t c_step)
{
    return value_bytes == 2 && c_step % SPMMI_DENSE_C_WORD != 0;
}

/* Threads of a block that share a line of `words` words, as a power of two: all of it, or 256 of it. */
#define SPMMI_DENSE_LINE_THREADS 256u
static inline uint32_t spmmi_dense_line_threads_log2(int64_t words)
{
    uint32_t log2 = 0;
    while (1u << log2 < SPMMI_DENSE_LINE_THREADS && (int64_t)1 << log2 < words)
        log2++;
    return log2;
}

#endif
