/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the parts that an executor on a GPU runs: those of the variants, or those of a forced kernel; all
 * are parts of the plan. If the device cannot run a variant's part, a part of the first family runs in its
 * place, if the plan has one for the op. */
#ifndef SPMMI_CUDA_PARTS_H
#define SPMMI_CUDA_PARTS_H

#include "executor/parts.h"

/* force_kernel is a name or NULL; *suffix is as in struct spmmi_part_source. Errors: MEMORY; ARGUMENT: the
 * plan has no part with the forced name, or the rows of C would not be permuted as the plan says. */
spmm_status_t spmmi_cuda_parts_choose(const spmm_plan_t *plan, const struct spmmi_device *device,
                                      const char *force_kernel, struct spmmi_parts **parts,
                                      const char **suffix, spmm_diag_t *diag);

#endif
