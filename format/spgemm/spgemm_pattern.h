/* SPDX-License-Identifier: Apache-2.0 */
/* The symbolic phase: which entries a product of two sparse matrices has, whatever their values. */
#ifndef SPMMI_SPGEMM_PATTERN_H
#define SPMMI_SPGEMM_PATTERN_H

#include "spgemm.h"

/* C = left * right. is_lower: entries (i, j) with j <= i alone. */
struct spmmi_spgemm_task {
    struct spmmi_csr_pattern left, right;
    int is_lower;
};

/* How many columns of row k of the right factor row i of C takes. */
static inline int64_t spmmi_spgemm_taken(const struct spmmi_spgemm_task *t, int64_t i, int64_t k)
{
    const int32_t *columns = t->right.col_ind + t->right.row_ptr[k];
    int64_t count = t->right.row_ptr[k + 1] - t->right.row_ptr[k], low = 0;
    while (t->is_lower && low < count) { /* low columns are at most i, those from count on are above */
        const int64_t middle = low + (count - low) / 2;
        if (columns[middle] <= i)
            low = middle + 1;
        else
            count = middle;
    }
    return count;
}

/* Threads of a call that was asked for so many; 0: OpenMP's default. */
int spmmi_spgemm_threads(int wanted);

/* Most bytes that each of the functions below takes at a time. */
uint64_t spmmi_spgemm_scratch_bytes(int64_t cols, int threads);

/* Row pointers of C into row_ptr[rows + 1] of the caller; the last one is its number of entries. */
spmm_status_t spmmi_spgemm_row_ptr(const struct spmmi_spgemm_task *task, int threads, int64_t *row_ptr,
                                   spmm_diag_t *diag);
/* Columns of C, once its row pointers are known. */
spmm_status_t spmmi_spgemm_columns(const struct spmmi_spgemm_task *task, int threads, const int64_t *row_ptr,
                                   int32_t *col_ind, spmm_diag_t *diag);

/* Is c the pattern of the product? The first row that differs, or -1. */
spmm_status_t spmmi_spgemm_verify(const struct spmmi_spgemm_task *task, const struct spmmi_csr_pattern *c,
                                  int threads, int64_t *wrong_row, spmm_diag_t *diag);

#endif
