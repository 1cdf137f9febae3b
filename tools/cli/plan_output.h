/* SPDX-License-Identifier: Apache-2.0 */
/* Where spmm-inspect writes a plan. */
#ifndef SPMM_TOOLS_PLAN_OUTPUT_H
#define SPMM_TOOLS_PLAN_OUTPUT_H

#include <spmm/plan.h>
#include <stdbool.h>

#define PLAN_OUTPUT_STDOUT "-"

/* True for a file that may be replaced without asking: an empty one, or one that begins like a plan. */
bool plan_output_may_replace(const char *path);

/* To a file or standard output; *bytes is what was written. Returns an exit status, after reporting a failure. */
int plan_output_write(const char *program, const char *path, const spmm_plan_t *plan,
                      const spmm_save_options_t *save, uint64_t *bytes);

#endif
