/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of spmm-bench: geometric means of the best peer's time divided by the time of the plan's
 * choice. */
#ifndef SPMM_TOOLS_BENCH_SUMMARY_H
#define SPMM_TOOLS_BENCH_SUMMARY_H

#include "bench_site.h"
#include "tools/cli/json.h"

/* An all-zero struct is an empty summary. */
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
    double ratio_memory; /* bytes of the peer / bytes of ours; 0 if unknown */
};
spmm_status_t bench_summary_add(struct bench_summary *summary, const struct summary_row *row,
                                spmm_diag_t *diag);

/* The means of a group of cases with the same type, layout, op and n. A property that is "all" may differ in
 * the group. */
struct summary_line {
    const char *dtype, *layout, *op, *n;
    size_t cases, below_one; /* below_one: number of cases in which the peer is faster */
    double cold, warm, minimum;
    double memory; /* 0 if unknown in all cases */
};
/* Calls fn for each group with the same type, layout, op and n, then for each group over all n, then for all
 * cases. */
void bench_summary_each(struct bench_summary *summary,
                        void (*fn)(void *context, const struct summary_line *line), void *context);

/* Prints these lines as a table or, if json is not NULL, as an array "summary" in the open object. */
void bench_summary_print(struct bench_summary *summary, struct json *json);
void bench_summary_free(struct bench_summary *summary);

#endif
