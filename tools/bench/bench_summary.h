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
    double ratio_memory; /* bytes of the peer over ours; 0: not known */
};
spmm_status_t bench_summary_add(struct bench_summary *summary, const struct summary_row *row,
                                spmm_diag_t *diag);

/* Means of cases that agree in type, layout, op and n, or in all but those that are "all". */
struct summary_line {
    const char *dtype, *layout, *op, *n;
    size_t cases, below_one; /* below_one: in which the peer is faster */
    double cold, warm, minimum;
    double memory; /* 0: not known in any */
};
/* Calls fn for each line, by type, layout, op and n, then over all n, then over all cases. */
void bench_summary_each(struct bench_summary *summary,
                        void (*fn)(void *context, const struct summary_line *line), void *context);

/* These lines as a table, or with json as an array "summary" of the open object. */
void bench_summary_print(struct bench_summary *summary, struct json *json);
void bench_summary_free(struct bench_summary *summary);

#endif
