/* SPDX-License-Identifier: Apache-2.0 */
/* Where spmm-inspect and spmm-update write a plan. */
#ifndef SPMM_TOOLS_PLAN_OUTPUT_H
#define SPMM_TOOLS_PLAN_OUTPUT_H

#include <spmm/plan.h>
#include <stdbool.h>

#include "cli.h"

#define PLAN_OUTPUT_STDOUT "-"

bool plan_output_is_stdout(const char *path); /* path may be NULL */

/* Complains about standard output that is a terminal or that --json wants, too, about what is no regular file, and
 * without force about a file that is neither empty nor begins like a plan. path NULL: no plan is written. */
enum cli_result plan_output_check(const struct cli_program *program, const char *path, int json, int force);

/* To a file or standard output; *bytes is what was written. Returns an exit status, after reporting a failure. */
int plan_output_write(const char *program, const char *path, const spmm_plan_t *plan,
                      const spmm_save_options_t *save, uint64_t *bytes);

#endif
