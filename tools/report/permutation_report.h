/* SPDX-License-Identifier: Apache-2.0 */
/* What every row permutation that fits a matrix would do (docs/reordering.md), for people and for programs. */
#ifndef SPMM_TOOLS_PERMUTATION_REPORT_H
#define SPMM_TOOLS_PERMUTATION_REPORT_H

#include <spmm/inspector.h>
#include <stdio.h>

#include "tools/cli/json.h"

struct permutation_report {
    struct permutation_report_line {
        spmm_reorder_t kind;
        double cpu_seconds;   /* of all threads, to make it once more */
        double count_seconds; /* that its metrics took */
        spmm_permutation_metrics_t metrics;
    } * list; /* none first */
    int count;
};

/* Make each permutation that fits and count its metrics; the caller frees the report. */
spmm_status_t permutation_report_make(const spmm_matrix_t *matrix, int threads,
                                      struct permutation_report *report, spmm_diag_t *diag);
void permutation_report_free(struct permutation_report *report);
/* Nothing where none was made. */
void permutation_report_text(FILE *out, const struct permutation_report *report);
void permutation_report_json(struct json *j, const struct permutation_report *report);

#endif
