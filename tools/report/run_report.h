/* SPDX-License-Identifier: Apache-2.0 */
/* The report of spmm-run as text and as JSON. */
#ifndef SPMM_TOOLS_RUN_REPORT_H
#define SPMM_TOOLS_RUN_REPORT_H

#include "tools/compute/run_certify.h"

struct run_outcome {
    const char *plan_name;
    const char *checked_against;               /* NULL if not checked */
    const struct check_result *check;          /* NULL if not checked */
    const struct run_certificate *certificate; /* NULL if not certified */
    const struct timing *timing;               /* NULL if not timed */
    const char *output;                        /* file to which C was written; NULL if none */
    int is_symmetric;                          /* the plan is one of PAP^T */
    int permutes_output;                       /* the plan leaves the rows of C in permuted order */
    int is_original_order;                     /* nevertheless B was read and C written in A's order */
    int is_auto_cpu;                           /* the CPU was chosen because no GPU can run the plan */
};

void run_report_text(const struct run_product *product, const struct run_outcome *outcome);
/* Returns 0 if writing failed. */
int run_report_json(const struct run_product *product, const struct run_outcome *outcome);

#endif
