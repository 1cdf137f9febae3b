/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are far longer than the others of their unit: every block that they alone fill is mostly padding, and their
 * unit takes longest. Split off, they are computed by a separate kernel of the first family. For any family whose row
 * in format/family_list.def says so. */
#ifndef SPMMI_LONG_ROWS_PLAN_H
#define SPMMI_LONG_ROWS_PLAN_H

#include "inspector/search/planner.h"

#define SPMMI_LONG_ROWS_TIMES 16 /* the median row of a unit: longer ones may be split off */
#define SPMMI_LONG_ROWS_MIN 64   /* nonzeros of a row that may be split off */

/* Metrics of the rows that are left, in their permutation, into split->left, which split->close_left frees. */
typedef spmm_status_t spmmi_analysis_left_fn(const struct spmmi_search *s, const struct spmmi_pattern *left,
                                             const uint32_t *rows, struct spmmi_long_rows_split *split,
                                             spmm_diag_t *diag);

/* The rows that may be split off from units of one height in one permutation, and the metrics of the rest. */
struct spmmi_long_rows_split {
    const uint32_t *permutation; /* borrowed; NULL: that of A */
    uint32_t unit_rows;
    spmmi_analysis_left_fn *analysis; /* who made `left` */
    uint32_t *rows;                   /* count, ascending; owned */
    uint64_t count;
    int64_t nnz;
    void *left; /* NULL where count is 0 or all rows: there is nothing to split off */
    void (*close_left)(void *left);
    struct spmmi_model_matrix of_long_rows; /* the long rows by themselves */
};

/* Is it a candidate beside `leader`, the best with all rows? density: nonzeros of its mean block of 8 x 8. */
bool spmmi_long_rows_split_may_pay(const struct spmmi_search *s, const struct spmmi_candidate *leader,
                                   double density);
/* Made when it is first asked for. Errors: MEMORY. */
spmm_status_t spmmi_long_rows_split_of(const struct spmmi_search *s, const uint32_t *permutation,
                                       uint32_t unit_rows, spmmi_analysis_left_fn *analysis,
                                       const struct spmmi_long_rows_split **split, spmm_diag_t *diag);
/* What the long rows add to the time of the others. */
double spmmi_long_rows_split_seconds(const struct spmmi_search *s, const struct spmmi_long_rows_split *split);

/* The rows leave a part that has all of them, and become a part of their own. Errors: MEMORY. */
spmm_status_t spmmi_long_rows_split_part(const struct spmmi_long_rows_split *split, struct spmmi_part *part,
                                         struct spmmi_part *long_rows, spmm_diag_t *diag);

#endif
