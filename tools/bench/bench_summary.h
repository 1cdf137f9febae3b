/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of spmm-bench: geometric means of the best peer's time over that of the plan's choice. */
#ifndef SPMM_TOOLS_BENCH_SUMMARY_H
#define SPMM_TOOLS_BENCH_SUMMARY_H

#include "bench_site.h"
#include "tools/cli/json.h"

/* All zero is an empty one. */
struct bench_summary {
    struct summary_row *rows;
    size_t count, capacity;
};

/* One case in which the plan's choice has a peer. */
struct summary_row {
    spmm_dtype_t dtype;
    spmm_layout_t layout;
    spmm_op_t op;
    int64_t n;
    double ratio_cold, ratio_warm;
};
spmm_status_t bench_summary_add(struct bench_summary *summary, const struct summary_row *row,
                                spmm_diag_t *diag);

/* By type, layout, op and n, then over all n, then over all cases: a table, or with json an array "summary" of the open
 * object. */
void bench_summary_print(struct bench_summary *summary, struct json *json);
void bench_summary_free(struct bench_summary *summary);

#endif
