/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the plan that a command line names: a file, or "-" for standard input. */
#ifndef SPMM_TOOLS_PLAN_INPUT_H
#define SPMM_TOOLS_PLAN_INPUT_H

#include <spmm/plan.h>

/* Loads the plan. options may be NULL. */
spmm_status_t plan_input_open(const char *argument, const spmm_load_options_t *options, spmm_plan_t **plan,
                              spmm_diag_t *diag);

/* Like plan_input_open, for main: reports a failure, stores its exit status in *result and returns NULL. */
spmm_plan_t *plan_input_of(const char *program, const char *argument, const spmm_load_options_t *options,
                           int *result);

#endif
