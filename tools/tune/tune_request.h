/* SPDX-License-Identifier: Apache-2.0 */
/* What a command line asks of the choice: may candidates be timed, which, how long, and for how many products? */
#ifndef SPMM_TOOLS_TUNE_REQUEST_H
#define SPMM_TOOLS_TUNE_REQUEST_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "tools/cli/cli.h"

#define TUNE_DEFAULT 3 /* candidates of a decision */
#define TUNE_MAX 1000

struct tune_request {
    int64_t tune;          /* candidates of a decision; 0: the option was not given */
    double time_limit;     /* seconds; 0: none */
    double expected_calls; /* 0: not said */
    int effort;            /* enum spmm_effort */
};

extern const struct cli_choice tune_efforts[];

/* Complains where the options contradict each other. */
enum cli_result tune_request_check(const struct cli_program *program, const struct tune_request *request);
/* Will anything be timed? */
bool tune_request_measures(const struct tune_request *request);
/* The options of the inspection. measure, with its context, is left out where nothing will be timed. */
spmm_tuning_options_t tune_request_options(const struct tune_request *request, spmm_measure_fn measure,
                                           void *context);

#endif
