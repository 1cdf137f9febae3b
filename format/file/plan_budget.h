/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a load: what it takes, and what it may take. */
#ifndef SPMMI_PLAN_BUDGET_H
#define SPMMI_PLAN_BUDGET_H

#include "plan_header.h"

/* Budget of a file of so many bytes when the caller names none: 1 GiB and 2,048 bytes for each byte of the file. Plans
 * of meshes with a single value reach 500, the codec of the format 44,000: only matrices of more than 50 million rows
 * or nonzeros that are as regular as the identity need more. UINT64_MAX where that overflows. */
uint64_t spmmi_budget_default(uint64_t file_bytes);

/* Bytes that a load takes on so many threads, held ones of the caller included. plan: its parts, which may not be known
 * yet; then the check of their items is left out. */
uint64_t spmmi_load_bytes(const struct spmmi_container *container, const spmm_plan_t *plan, int threads,
                          uint64_t held);

/* Lowers the threads until the load fits the budget. PLAN_BUDGET: it does not fit with one. */
spmm_status_t spmmi_budget_check(const struct spmmi_container *container, const spmm_plan_t *plan,
                                 uint64_t held, uint64_t budget, int *threads, spmm_diag_t *diag);

/* Tells the log of a plan that was written where spmmi_budget_default does not do for it. */
void spmmi_budget_warn(const uint8_t *bytes, uint64_t size, const spmm_plan_t *plan);

/* Raw bytes of a section; 0 where there is none. */
uint64_t spmmi_container_raw(const struct spmmi_container *container, uint32_t type, uint32_t part);

#endif
