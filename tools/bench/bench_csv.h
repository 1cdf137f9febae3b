/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV file of spmm-bench. */
#ifndef SPMM_TOOLS_BENCH_CSV_H
#define SPMM_TOOLS_BENCH_CSV_H

#include "bench_case.h"
#include "tools/cli/append_file.h"

/* Opens the file for appending and writes the header line if it is empty. path may be NULL: there is no
 * file. */
spmm_status_t bench_csv_open(struct append_file *csv, const char *path, spmm_diag_t *diag);

struct csv_origin {
    const char *date, *commit;
};
/* Writes a row for the best peer of each library. The row of the first library comes last, because readers
 * that need one row per case use the last one. */
void bench_csv_rows(FILE *csv, const struct csv_origin *origin, const struct bench_case *done,
                    const struct ours_result *ours);

#endif
