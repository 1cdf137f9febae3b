/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern whose row blocks are counted, with columns
 * renumbered so that arrays over all columns stay small. */
#ifndef SPMMI_ROW_BLOCK_PATTERN_H
#define SPMMI_ROW_BLOCK_PATTERN_H

#include <stdbool.h>

#include "format/matrix/numbered_columns.h"
#include "row_block_input.h"

struct spmmi_row_block_pattern {
    const struct spmmi_row_block_input *in;
    int64_t nnz, cols;      /* cols: number of column numbers, at most the columns of the input */
    const int32_t *col_ind; /* column numbers of the nnz nonzeros */
    const int32_t *column;  /* the column of each number, ascending; NULL: the numbers are the columns */
    int threads;            /* number of threads that may allocate an array of cols elements each */
    struct spmmi_numbered_columns numbered;
};

/* Prepares a pattern. is_set: threads need sets of columns (1 bit per column) only, no arrays of counters.
 * Errors: MEMORY. Free with spmmi_row_block_pattern_close, also after an error. */
spmm_status_t spmmi_row_block_pattern_open(const struct spmmi_row_block_input *in, bool is_set,
                                           struct spmmi_row_block_pattern *p);
void spmmi_row_block_pattern_close(struct spmmi_row_block_pattern *p);

/* Computes working_set[], reuse[], columns_used, column_count[] and column_sum[] of out. Errors: MEMORY. */
spmm_status_t spmmi_row_block_reuse_count(const struct spmmi_row_block_pattern *p,
                                          spmm_row_block_metrics_t *out);

#endif
