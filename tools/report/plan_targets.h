/* SPDX-License-Identifier: Apache-2.0 */
/* Which machines and types of values the variants of a plan were chosen for. */
#ifndef SPMM_TOOLS_PLAN_TARGETS_H
#define SPMM_TOOLS_PLAN_TARGETS_H

#include <spmm/plan.h>
#include <stdio.h>

#include "tools/cli/json.h"

#define PLAN_TARGETS_BYTES 512 /* of 64 names */
#define PLAN_TYPES_BYTES 64

/* "CPU", "any device", "compute capability 9.0". */
void plan_target_print(FILE *out, uint32_t target);

/* "f32,f16": the type of the plan's values, then the others that variants have. */
void plan_types_text(const spmm_plan_t *plan, char text[PLAN_TYPES_BYTES]);
/* "cpu,8.0,9.0": all targets, each once, in the order of the variants. */
void plan_targets_text(const spmm_plan_t *plan, char text[PLAN_TARGETS_BYTES]);
/* A line for each target: how many variants it has, and their kernels. Nothing for a plan for one device and type. */
void plan_text_targets(FILE *out, const spmm_plan_t *plan);
/* Types and targets. */
void plan_json_targets(struct json *j, const spmm_plan_t *plan);

#endif
