/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the nonzeros in each column of a pattern. */
#ifndef SPMMI_COLUMN_COUNTS_H
#define SPMMI_COLUMN_COUNTS_H

#include <stdint.h>

#include <spmm/common.h>

struct spmmi_column_counts {
    int64_t empty, max; /* number of columns without nonzeros; maximum nonzeros of a column */
};

/* Counts on up to `threads` threads. The columns in col_ind are below cols, in any order. Errors: MEMORY. */
spmm_status_t spmmi_column_counts(int64_t cols, int64_t nnz, const int32_t *col_ind, int threads,
                                  struct spmmi_column_counts *counts);
/* Returns the maximum memory of spmmi_column_counts in bytes. */
uint64_t spmmi_column_counts_bytes(uint64_t cols, uint64_t nnz, int threads);

#endif
