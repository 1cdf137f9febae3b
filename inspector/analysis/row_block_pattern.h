/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern whose row blocks are counted, with columns numbered so that arrays over all of them stay small. */
#ifndef SPMMI_ROW_BLOCK_PATTERN_H
#define SPMMI_ROW_BLOCK_PATTERN_H

#include <stdbool.h>

#include "format/matrix/numbered_columns.h"
#include "row_block_input.h"

struct spmmi_row_block_pattern {
    const struct spmmi_row_block_input *in;
    int64_t nnz, cols;      /* cols: number of distinct columns, at most those of the input */
    const int32_t *col_ind; /* nnz renumbered columns */
    const int32_t *column;  /* the column of each new number, ascending; NULL: they are the same */
    int threads;            /* that may hold an array of cols each */
    struct spmmi_numbered_columns numbered;
};

/* is_set: only sets of columns are made, a bit each, not arrays of counters. Errors: MEMORY. Free with
 * spmmi_row_block_pattern_close, also after an error. */
spmm_status_t spmmi_row_block_pattern_open(const struct spmmi_row_block_input *in, bool is_set,
                                           struct spmmi_row_block_pattern *p);
void spmmi_row_block_pattern_close(struct spmmi_row_block_pattern *p);

/* working set[], reuse[], columns_used, column_count[] and column_sum[] of out. Errors: MEMORY. */
spmm_status_t spmmi_row_block_reuse_count(const struct spmmi_row_block_pattern *p,
                                          spmm_row_block_metrics_t *out);

#endif
