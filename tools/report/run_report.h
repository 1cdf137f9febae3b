/* SPDX-License-Identifier: Apache-2.0 */
/* What spmm-run says, for people and as JSON. */
#ifndef SPMM_TOOLS_RUN_REPORT_H
#define SPMM_TOOLS_RUN_REPORT_H

#include "tools/compute/run_certify.h"

struct run_outcome {
    const char *plan_name;
    const char *checked_against;               /* NULL: not checked */
    const struct check_result *check;          /* NULL when not checked */
    const struct run_certificate *certificate; /* NULL when not certified */
    const struct timing *timing;               /* NULL when not timed */
    const char *output;                        /* where C was written; NULL: nowhere */
    int is_symmetric;                          /* the plan is that of PAP^T */
    int permutes_output;                       /* the plan leaves C in an order of its own */
    int is_original_order;                     /* B was read and C written in the order of A all the same */
    int is_auto_cpu;                           /* the CPU was taken because no GPU runs the plan */
};

void run_report_text(const struct run_product *product, const struct run_outcome *outcome);
/* 0 when writing failed. */
int run_report_json(const struct run_product *product, const struct run_outcome *outcome);

#endif
