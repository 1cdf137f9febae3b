/* SPDX-License-Identifier: Apache-2.0 */
/* Options about tuning: whether candidates are timed, how many, for how long, and how many products the plan
 * will run. */
#ifndef SPMM_TOOLS_TUNE_REQUEST_H
#define SPMM_TOOLS_TUNE_REQUEST_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "tools/cli/cli.h"

#define TUNE_DEFAULT 3 /* candidates per decision */
#define TUNE_MAX 1000

struct tune_request {
    int64_t tune;          /* candidates per decision; 0: the option was not given */
    double time_limit;     /* in seconds; 0: no limit */
    double expected_calls; /* 0: unknown */
    int effort;            /* enum spmm_effort */
};

extern const struct cli_choice tune_efforts[];

/* Complains if the options contradict each other. */
enum cli_result tune_request_check(const struct cli_program *program, const struct tune_request *request);
/* Returns true if candidates will be timed. */
bool tune_request_measures(const struct tune_request *request);
/* Returns the tuning options of the inspection. measure and its context are omitted if nothing will be
 * timed. */
spmm_tuning_options_t tune_request_options(const struct tune_request *request, spmm_measure_fn measure,
                                           void *context);

#endif
