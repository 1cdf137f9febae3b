/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_request.h. */
#include "tune_request.h"

#include <math.h>

const struct cli_choice tune_efforts[] = {{"estimate", SPMM_EFFORT_ESTIMATE},
                                          {"measure", SPMM_EFFORT_MEASURE},
                                          {"exhaustive", SPMM_EFFORT_EXHAUSTIVE},
                                          {NULL, 0}};

bool tune_request_measures(const struct tune_request *request)
{
    return request->tune > 0 || request->effort == SPMM_EFFORT_MEASURE ||
           request->effort == SPMM_EFFORT_EXHAUSTIVE;
}

enum cli_result tune_request_check(const struct cli_program *program, const struct tune_request *request)
{
    if (!isfinite(request->time_limit) || request->time_limit < 0)
        return cli_complain(program, "--time-limit: expected seconds, found %g", request->time_limit);
    if (!isfinite(request->expected_calls) || request->expected_calls < 0)
        return cli_complain(program, "--expected-calls: expected a number of products, found %g",
                            request->expected_calls);
    if (request->tune > 0 && request->effort == SPMM_EFFORT_ESTIMATE)
        return cli_complain(program, "--tune times candidates and --effort estimate forbids it: "
                                     "they contradict each other");
    if (request->time_limit > 0 && !tune_request_measures(request))
        return cli_complain(program, "--time-limit bounds what is timed, and nothing is: it needs --tune, "
                                     "--effort measure or --effort exhaustive");
    return CLI_RUN;
}

spmm_tuning_options_t tune_request_options(const struct tune_request *request, spmm_measure_fn measure,
                                           void *context)
{
    const bool measures = tune_request_measures(request);
    return (spmm_tuning_options_t){.struct_size = sizeof(spmm_tuning_options_t),
                                   .effort = (spmm_effort_t)request->effort,
                                   .candidates = (int)request->tune,
                                   .time_limit = request->time_limit,
                                   .measure = measures ? measure : NULL,
                                   .measure_context = measures ? context : NULL};
}
