/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV file of spmm-bench. */
#ifndef SPMM_TOOLS_BENCH_CSV_H
#define SPMM_TOOLS_BENCH_CSV_H

#include "bench_case.h"
#include "tools/cli/append_file.h"

/* Open (or begin, with its header line) the file; path NULL: none. */
spmm_status_t bench_csv_open(struct append_file *csv, const char *path, spmm_diag_t *diag);

struct csv_origin {
    const char *date, *commit;
};
/* A row for the best peer of each library; that of the first library comes last, as the last row of a case counts where
 * a reader wants one. */
void bench_csv_rows(FILE *csv, const struct csv_origin *origin, const struct bench_case *done,
                    const struct ours_result *ours);

#endif
