/* SPDX-License-Identifier: Apache-2.0 */
/* The results of spmm-bench as an HTML page: --report. */
#ifndef SPMM_TOOLS_BENCH_PAGE_H
#define SPMM_TOOLS_BENCH_PAGE_H

#include <stdbool.h>

#include "bench_case.h"
#include "bench_csv.h"
#include "bench_summary.h"
#include "tools/cli/output_file.h"
#include "tools/report/html.h"

/* An all-zero struct is a page that is not open. The functions do nothing with it. */
struct bench_page {
    struct output_file file; /* opened at the start, so that a wrong path fails before hours of measurement */
    struct html html;        /* writes to cases */
    FILE *cases;
    char *text; /* text of the cases so far */
    size_t size;
    char matrix[128]; /* matrix of the last case, whose section is still open */
    char device[64];
    int case_count, wrong_count, left_out_count;
    bool is_open, has_bound;
};

/* Opens the page. path NULL: no page. */
spmm_status_t bench_page_open(struct bench_page *page, const char *path, spmm_diag_t *diag);
void bench_page_case(struct bench_page *page, const struct bench_case *done);
/* Counts a matrix that could not be measured, or not in all cases. */
void bench_page_left_out(struct bench_page *page);
/* Writes the file if status is SPMM_OK; otherwise removes it. May sort summary. */
spmm_status_t bench_page_close(struct bench_page *page, const struct csv_origin *origin,
                               struct bench_summary *summary, spmm_status_t status, spmm_diag_t *diag);

#endif
