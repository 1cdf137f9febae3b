/* SPDX-License-Identifier: Apache-2.0 */
/* What spmm-bench measured as a page to look at: --report. */
#ifndef SPMM_TOOLS_BENCH_PAGE_H
#define SPMM_TOOLS_BENCH_PAGE_H

#include <stdbool.h>

#include "bench_case.h"
#include "bench_csv.h"
#include "bench_summary.h"
#include "tools/cli/output_file.h"
#include "tools/report/html.h"

/* All zero is one that is not open, for which the functions do nothing. */
struct bench_page {
    struct output_file
        file;         /* there from the start, so that a run of hours does not end at a folder that is not */
    struct html html; /* of the cases so far */
    FILE *cases;
    char *text; /* of cases */
    size_t size;
    char matrix[128]; /* of the last case; its section is open */
    char device[64];
    int case_count, wrong_count, left_out_count;
    bool is_open, has_bound;
};

/* path NULL: no page. */
spmm_status_t bench_page_open(struct bench_page *page, const char *path, spmm_diag_t *diag);
void bench_page_case(struct bench_page *page, const struct bench_case *done);
/* A matrix that could not be measured, or not in all cases. */
void bench_page_left_out(struct bench_page *page);
/* Writes the file, if status is SPMM_OK; else nothing is left of it. summary may be sorted. */
spmm_status_t bench_page_close(struct bench_page *page, const struct csv_origin *origin,
                               struct bench_summary *summary, spmm_status_t status, spmm_diag_t *diag);

#endif
