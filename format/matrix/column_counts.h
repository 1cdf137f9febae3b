/* SPDX-License-Identifier: Apache-2.0 */
/* How many nonzeros the columns of a pattern have. */
#ifndef SPMMI_COLUMN_COUNTS_H
#define SPMMI_COLUMN_COUNTS_H

#include <stdint.h>

#include <spmm/common.h>

struct spmmi_column_counts {
    int64_t empty, max; /* columns that have none; most of a column */
};

/* Columns are below cols, in any order. Errors: MEMORY. */
spmm_status_t spmmi_column_counts(int64_t cols, int64_t nnz, const int32_t *col_ind, int threads,
                                  struct spmmi_column_counts *counts);
/* Most memory that this takes. */
uint64_t spmmi_column_counts_bytes(uint64_t cols, uint64_t nnz, int threads);

#endif
