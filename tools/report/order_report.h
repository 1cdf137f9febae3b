/* SPDX-License-Identifier: Apache-2.0 */
/* What every order of the rows that fits a matrix would do (docs/reordering.md), for people and for programs. */
#ifndef SPMM_TOOLS_ORDER_REPORT_H
#define SPMM_TOOLS_ORDER_REPORT_H

#include <spmm/inspector.h>
#include <stdio.h>

#include "tools/cli/json.h"

struct order_report {
    struct order_report_line {
        spmm_reorder_t kind;
        double cpu_seconds;   /* of all threads, to make it once more */
        double count_seconds; /* that its figures took */
        spmm_order_figures_t figures;
    } * list; /* the natural order first */
    int count;
};

/* Make each order that fits and count what it does; the caller frees the report. */
spmm_status_t order_report_make(const spmm_matrix_t *matrix, int threads, struct order_report *report,
                                spmm_diag_t *diag);
void order_report_free(struct order_report *report);
/* Nothing where no order was made. */
void order_report_text(FILE *out, const struct order_report *report);
void order_report_json(struct json *j, const struct order_report *report);

#endif
