/* SPDX-License-Identifier: Apache-2.0 */
/* What spmm-bench reports: rows of a CSV file, a table and JSON, a page, and the summary over all cases. */
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
    struct json *json;    /* NULL: a table on stdout */
    int lists_peers;      /* the table shows every peer, not only the best */
    int shows_set_values; /* the table has columns for them */
    int is_short;         /* no table of cases, only the summary, cases without a peer and what went wrong */
    int has_header;       /* of the table */
    int has_wrong;        /* a product of ours failed its check */
    struct bench_summary summary;
};

/* Report one case at once, so that an interrupted run keeps what it has. */
spmm_status_t bench_report_case(struct bench_report *report, const struct bench_case *done,
                                spmm_diag_t *diag);
/* All but the page, which is closed before this. */
spmm_status_t bench_report_close(struct bench_report *report, spmm_diag_t *diag);

#endif
