/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU side of the executor, with the same functions as cuda_backend.h. Callers have
 * checked every argument. */
#ifndef SPMMI_CPU_BACKEND_H
#define SPMMI_CPU_BACKEND_H

#include "executor/backend.h"
#include "executor/needs.h"

struct spmmi_cpu;

/* Adds the memory that spmmi_cpu_create takes for this plan. Errors: as spmmi_cpu_create, and PLAN_BUDGET. */
spmm_status_t spmmi_cpu_needs(const spmm_plan_t *plan, const char *force_kernel, struct spmmi_needs *needs,
                              spmm_diag_t *diag);
/* force_kernel is NULL or a name that this backend's catalogue has. Copies what it needs from the plan. */
spmm_status_t spmmi_cpu_create(const spmm_plan_t *plan, int threads, const char *force_kernel,
                               struct spmmi_cpu **cpu, spmm_diag_t *diag);
void spmmi_cpu_destroy(struct spmmi_cpu *cpu);
uint64_t spmmi_cpu_host_bytes(const struct spmmi_cpu *cpu);
const struct spmmi_parts *spmmi_cpu_parts(const struct spmmi_cpu *cpu); /* the loaded parts */

/* Copies the values: nnz values in CSR order of A. */
spmm_status_t spmmi_cpu_set_values(struct spmmi_cpu *cpu, const void *values);
/* variant is the index of the variant that was chosen for the product. */
uint64_t spmmi_cpu_workspace_bytes(const struct spmmi_cpu *cpu, int variant,
                                   const struct spmmi_product *product);
spmm_status_t spmmi_cpu_execute(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                                void *workspace, spmm_diag_t *diag);
void spmmi_cpu_kernel(const struct spmmi_cpu *cpu, int variant, const struct spmmi_product *product,
                      char *text, size_t size);

#endif
