/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are far longer than the others of their unit. Each block that only such a row fills is mostly
 * padding, and its unit takes longest. If they are split off, a separate kernel of the first family computes
 * them. Any family may use this if its row in format/family_list.def says so. */
#ifndef SPMMI_LONG_ROWS_PLAN_H
#define SPMMI_LONG_ROWS_PLAN_H

#include "inspector/search/planner.h"

#define SPMMI_LONG_ROWS_TIMES 16 /* times the median row of a unit: longer rows may be split off */
#define SPMMI_LONG_ROWS_MIN 64   /* least nonzeros of a row that may be split off */

/* Computes metrics of the rows that are left, in their permutation, into split->left. split->close_left frees
 * them. */
typedef spmm_status_t spmmi_analysis_left_fn(const struct spmmi_search *s, const struct spmmi_pattern *left,
                                             const uint32_t *rows, struct spmmi_long_rows_split *split,
                                             spmm_diag_t *diag);

/* The rows that may be split off from units of one height in one permutation, and the metrics of the rest. */
struct spmmi_long_rows_split {
    const uint32_t *permutation; /* borrowed; NULL: rows in the order of A */
    uint32_t unit_rows;
    spmmi_analysis_left_fn *analysis; /* the function that made `left` */
    uint32_t *rows;                   /* count rows, ascending; owned */
    uint64_t count;
    int64_t nnz;
    void *left; /* NULL if count is 0 or all rows: nothing is split off */
    void (*close_left)(void *left);
    struct spmmi_model_matrix of_long_rows; /* metrics of the long rows by themselves */
};

/* Returns true if a split is a candidate in addition to `leader`, the best candidate with all rows. density:
 * nonzeros of the leader's mean block of 8 x 8. */
bool spmmi_long_rows_split_may_pay(const struct spmmi_search *s, const struct spmmi_candidate *leader,
                                   double density);
/* Returns the split for units of this height in this permutation, which is made at the first call. Errors:
 * MEMORY. */
spmm_status_t spmmi_long_rows_split_of(const struct spmmi_search *s, const uint32_t *permutation,
                                       uint32_t unit_rows, spmmi_analysis_left_fn *analysis,
                                       const struct spmmi_long_rows_split **split, spmm_diag_t *diag);
/* Returns the seconds that the long rows add to the time of the others. */
double spmmi_long_rows_split_seconds(const struct spmmi_search *s, const struct spmmi_long_rows_split *split);

/* Moves the rows from a part that has all rows to a part of their own. Errors: MEMORY. */
spmm_status_t spmmi_long_rows_split_part(const struct spmmi_long_rows_split *split, struct spmmi_part *part,
                                         struct spmmi_part *long_rows, spmm_diag_t *diag);

#endif
