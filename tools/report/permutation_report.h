/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of every row permutation that fits a matrix (docs/reordering.md), as text and as JSON. */
#ifndef SPMM_TOOLS_PERMUTATION_REPORT_H
#define SPMM_TOOLS_PERMUTATION_REPORT_H

#include <spmm/inspector.h>
#include <stdio.h>

#include "tools/cli/json.h"

struct permutation_report {
    struct permutation_report_line {
        spmm_reorder_t kind;
        double cpu_seconds;   /* CPU time of all threads for making the permutation a second time */
        double count_seconds; /* time for computing its metrics */
        spmm_permutation_metrics_t metrics;
    } * list; /* the first entry is the permutation "none" */
    int count;
};

/* Makes each permutation that fits the matrix and computes its metrics. The caller frees the report. */
spmm_status_t permutation_report_make(const spmm_matrix_t *matrix, int threads,
                                      struct permutation_report *report, spmm_diag_t *diag);
void permutation_report_free(struct permutation_report *report);
/* Print the report. They print nothing if it is empty. */
void permutation_report_text(FILE *out, const struct permutation_report *report);
void permutation_report_json(struct json *j, const struct permutation_report *report);

#endif
