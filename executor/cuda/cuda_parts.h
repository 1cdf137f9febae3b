/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts an executor on a GPU runs: those of the variants, or those of a forced kernel, on the plan's own
 * partition. Where the device cannot run a variant's part, one of the first family that the plan has for its op. */
#ifndef SPMMI_CUDA_PARTS_H
#define SPMMI_CUDA_PARTS_H

#include "executor/parts.h"

/* force_kernel: a name or NULL; *suffix: of struct spmmi_part_source. Errors: MEMORY; ARGUMENT: the plan has no part of
 * the forced name, or the rows of C would not be permuted as the plan says. */
spmm_status_t spmmi_cuda_parts_choose(const spmm_plan_t *plan, const struct spmmi_device *device,
                                      const char *force_kernel, struct spmmi_parts **parts,
                                      const char **suffix, spmm_diag_t *diag);

#endif
