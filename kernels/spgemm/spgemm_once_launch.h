/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a sparse product without a plan on a GPU. All arrays lie on the device. Each function returns a
 * cudaError_t and enqueues.
 *
 * Rows of C have a class by how many entries they may have, or have: groups of lanes take the rows of the first ones,
 * with a hash table in shared memory; wider rows have their columns found in a bitmap over all columns, and their
 * values by ranges of entries. */
#ifndef SPMMI_SPGEMM_ONCE_LAUNCH_H
#define SPMMI_SPGEMM_ONCE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPMMI_ONCE_CLASSES 4 /* three of hash tables; wide rows */
#define SPMMI_ONCE_WIDE (SPMMI_ONCE_CLASSES - 1)
#define SPMMI_ONCE_RANGE 1024     /* entries of a wide row that are computed together */
#define SPMMI_ONCE_BLOCKS_MAX 264 /* bitmaps that there are at a time, two a multiprocessor of an H200 */

/* Most entries of a row of each hashed class: half of the slots of its table. */
static inline uint32_t spmmi_once_entries(int row_class)
{
    return row_class == 0 ? 32 : row_class == 1 ? 128 : 512;
}

struct spmmi_once_matrix {
    int64_t rows, cols, nnz;
    const void *row_ptr;
    const void *given;                   /* columns as the caller has them */
    int has_wide_rows, has_wide_columns; /* indices of 64 bits */
    int32_t *narrow;                     /* where columns of 64 bits are copied to; else NULL */
    const int32_t *columns;
    const void *values;
};

/* What the host reads between the phases. All 0 at first, but bad_row, which has all bits set. */
struct spmmi_once_counts {
    unsigned long long bad_row[2];         /* of A and B: the first one that breaks a rule of CSR */
    unsigned int rows[SPMMI_ONCE_CLASSES]; /* of each class; of wide rows the ranges, by entries */
};

struct spmmi_once_work {
    struct spmmi_once_matrix a, b;
    struct spmmi_once_counts *counts;
    int all_wide;                       /* forced: every row is wide */
    uint32_t *bound;                    /* of each row of C: products, at most 2^32 - 1; then entries */
    uint32_t *list[SPMMI_ONCE_CLASSES]; /* rows of each class */
    uint32_t *range;                    /* by entries: of each of the wide list, which range of its row */
    int64_t *c_row_ptr;
    int64_t *sums; /* of the scan: one a block */
    int32_t *c_columns;
    void *c_values;
    uint32_t *bitmaps; /* blocks * bitmap_words, all 0 */
    uint64_t bitmap_words;
    uint32_t blocks; /* of wide rows */
};

/* Rules of CSR of one matrix, into *bad_row; copies wide columns. */
int spmmi_once_check_cuda(const struct spmmi_once_matrix *m, unsigned long long *bad_row, void *stream);
/* bound, and lists by products. */
int spmmi_once_products_cuda(const struct spmmi_once_work *w, void *stream);
/* Lists by entries; counts->rows are 0 again. */
int spmmi_once_bin_cuda(const struct spmmi_once_work *w, void *stream);
/* Entries into bound of the rows of a hashed class; those that have too many join the wide list. */
int spmmi_once_count_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream);
int spmmi_once_count_wide_cuda(const struct spmmi_once_work *w, uint32_t rows, void *stream);
/* c_row_ptr from bound. */
int spmmi_once_scan_cuda(const struct spmmi_once_work *w, void *stream);
uint64_t spmmi_once_scan_blocks(int64_t rows);
/* Ascending columns; of wide rows those whose range is 0. */
int spmmi_once_columns_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, void *stream);
int spmmi_once_columns_wide_cuda(const struct spmmi_once_work *w, uint32_t ranges, void *stream);
int spmmi_once_values_cuda(const struct spmmi_once_work *w, int row_class, uint32_t rows, int is_f64,
                           void *stream);

#ifdef __cplusplus
}
#endif
#endif
