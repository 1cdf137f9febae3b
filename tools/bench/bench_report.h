/* SPDX-License-Identifier: Apache-2.0 */
/* The output of spmm-bench: rows of a CSV file, a table or JSON, a page, and the summary of all cases. */
#ifndef SPMM_TOOLS_BENCH_REPORT_H
#define SPMM_TOOLS_BENCH_REPORT_H

#include <stdio.h>

#include "bench_case.h"
#include "bench_page.h"
#include "bench_summary.h"
#include "tools/cli/append_file.h"
#include "tools/cli/json.h"

struct bench_report {
    const char *date, *commit;
    struct append_file csv;
    struct bench_page page;
    struct json *json;    /* NULL: prints a table on stdout */
    int lists_peers;      /* the table lists every peer, not only the best ones */
    int shows_set_values; /* the table has columns for the time of new values */
    int is_short;         /* only the summary, cases without a peer, and cases with a wrong product */
    int has_header;       /* the head of the table has been printed */
    int has_wrong;        /* a product of ours failed or is wrong */
    struct bench_summary summary;
};

/* Reports a case immediately, so that an interrupted run keeps its results. */
spmm_status_t bench_report_case(struct bench_report *report, const struct bench_case *done,
                                spmm_diag_t *diag);
/* Closes everything except the page, which the caller closes first. */
spmm_status_t bench_report_close(struct bench_report *report, spmm_diag_t *diag);

#endif
