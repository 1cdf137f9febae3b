/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern whose panels are counted, with columns numbered so that an array of all of them is worth its memory. */
#ifndef SPMMI_PANEL_PATTERN_H
#define SPMMI_PANEL_PATTERN_H

#include <stdbool.h>

#include "panel_input.h"

struct spmmi_panel_pattern {
    const struct spmmi_panel_input *in;
    int64_t nnz, cols;      /* cols: numbers of columns, at most those of the input */
    const int32_t *col_ind; /* nnz numbers */
    const int32_t *column;  /* the column of each number, ascending; NULL: they are the same */
    int threads;            /* that may hold an array of cols each */
    int32_t *own_col_ind, *own_column;
};

/* is_set: only sets of columns are made, a bit each, not arrays of numbers. Errors: MEMORY. Free with
 * spmmi_panel_pattern_close, also after an error. */
spmm_status_t spmmi_panel_pattern_open(const struct spmmi_panel_input *in, bool is_set,
                                       struct spmmi_panel_pattern *p);
void spmmi_panel_pattern_close(struct spmmi_panel_pattern *p);

/* footprint[], reuse[], columns_used, column_count[] and column_sum[] of out. Errors: MEMORY. */
spmm_status_t spmmi_panel_reuse_count(const struct spmmi_panel_pattern *p, spmm_panel_stats_t *out);

#endif
