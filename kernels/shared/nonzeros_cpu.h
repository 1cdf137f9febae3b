/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the CPU from the nonzeros alone, row by row, for all types: the functions of a backend for
 * families that store nothing of their own there. Free the states with spmmi_free. */
#ifndef SPMMI_NONZEROS_CPU_H
#define SPMMI_NONZEROS_CPU_H

#include "executor/backend.h"

spmm_status_t spmmi_nonzeros_cpu_create(const struct spmmi_part_source *source, void **state, uint64_t *bytes,
                                        spmm_diag_t *diag);
uint64_t spmmi_nonzeros_cpu_workspace(const void *state, const struct spmmi_product *product);
spmm_status_t spmmi_nonzeros_cpu_run(const void *state, const struct spmmi_product *product, void *workspace,
                                     void *stream);

#endif
