/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the parts that a CPU executor runs: those of the variants, or those of a forced kernel. */
#ifndef SPMMI_CPU_PARTS_H
#define SPMMI_CPU_PARTS_H

#include "executor/parts.h"

/* force_kernel is a name or NULL; *suffix is as in struct spmmi_part_source. Errors: MEMORY; UNSUPPORTED: no
 * code for the type; ARGUMENT: the plan has no part with the forced name, or the part that would run permutes
 * the rows of C differently. */
spmm_status_t spmmi_cpu_parts_choose(const spmm_plan_t *plan, const char *force_kernel,
                                     struct spmmi_parts **parts, const char **suffix, spmm_diag_t *diag);

#endif
