/* SPDX-License-Identifier: Apache-2.0 */
/* The output of spmm-inspect and spmm-update: a plan file or standard output. */
#ifndef SPMM_TOOLS_PLAN_OUTPUT_H
#define SPMM_TOOLS_PLAN_OUTPUT_H

#include <spmm/plan.h>
#include <stdbool.h>

#include "cli.h"

#define PLAN_OUTPUT_STDOUT "-"

bool plan_output_is_stdout(const char *path); /* path may be NULL */

/* Complains if standard output is a terminal or if --json needs it too, if path is not a regular file,
 * and, without force, if the file is neither empty nor begins like a plan. path may be NULL: no plan is
 * written. */
enum cli_result plan_output_check(const struct cli_program *program, const char *path, int json, int force);

/* Writes the plan to a file or standard output. *bytes becomes the number of bytes written. Reports a failure
 * and returns an exit status. */
int plan_output_write(const char *program, const char *path, const spmm_plan_t *plan,
                      const spmm_save_options_t *save, uint64_t *bytes);

#endif
