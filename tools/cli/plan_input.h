/* SPDX-License-Identifier: Apache-2.0 */
/* Plans as command lines name them: a file, or "-" for standard input. */
#ifndef SPMM_TOOLS_PLAN_INPUT_H
#define SPMM_TOOLS_PLAN_INPUT_H

#include <spmm/plan.h>

/* options may be NULL. */
spmm_status_t plan_input_open(const char *argument, const spmm_load_options_t *options, spmm_plan_t **plan,
                              spmm_diag_t *diag);

/* The same for a program's main part: a failure is said, and its exit status is in *result; then NULL. */
spmm_plan_t *plan_input_of(const char *program, const char *argument, const spmm_load_options_t *options,
                           int *result);

#endif
