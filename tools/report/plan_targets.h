/* SPDX-License-Identifier: Apache-2.0 */
/* The targets and value types of a plan's variants. */
#ifndef SPMM_TOOLS_PLAN_TARGETS_H
#define SPMM_TOOLS_PLAN_TARGETS_H

#include <spmm/plan.h>
#include <stdio.h>

#include "tools/cli/json.h"

#define PLAN_TARGETS_BYTES 512 /* enough for 64 names */
#define PLAN_TYPES_BYTES 64

/* Prints "CPU", "any device" or "compute capability 9.0". */
void plan_target_print(FILE *out, uint32_t target);

/* Writes "f32,f16": the type of the plan's values, then the other types of its variants. */
void plan_types_text(const spmm_plan_t *plan, char text[PLAN_TYPES_BYTES]);
/* Writes "cpu,8.0,9.0": all targets, each once, in the order of the variants. */
void plan_targets_text(const spmm_plan_t *plan, char text[PLAN_TARGETS_BYTES]);
/* Prints one line per target with the number of its variants and their kernels. Prints nothing for a plan for
 * one device and one value type. */
void plan_text_targets(FILE *out, const spmm_plan_t *plan);
/* Writes types and targets. */
void plan_json_targets(struct json *j, const spmm_plan_t *plan);

#endif
