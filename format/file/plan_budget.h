/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a load needs, and the budget for it. */
#ifndef SPMMI_PLAN_BUDGET_H
#define SPMMI_PLAN_BUDGET_H

#include "plan_header.h"

/* Returns the budget of a file if the caller sets none: 1 GiB plus 2,048 bytes per byte of the file, or
 * UINT64_MAX on overflow. Plans of meshes with a single value need up to 500 bytes per byte, and the codec of
 * the format could reach 44,000. Only matrices with more than 50 million rows or nonzeros that are as regular
 * as the identity need more. */
uint64_t spmmi_budget_default(uint64_t file_bytes);

/* Returns the memory of a load on this number of threads in bytes, including
 * `held` bytes of the caller. plan has the decoded parts. It is NULL if they
 * are not known yet; then the memory for the check of items is not counted. */
uint64_t spmmi_load_bytes(const struct spmmi_container *container, const spmm_plan_t *plan, int threads,
                          uint64_t held);

/* Lowers *threads until the load fits the budget. Returns PLAN_BUDGET if it does not fit with one thread. */
spmm_status_t spmmi_budget_check(const struct spmmi_container *container, const spmm_plan_t *plan,
                                 uint64_t held, uint64_t budget, int *threads, spmm_diag_t *diag);

/* Logs a warning about an encoded plan if loading it needs more than the default budget. */
void spmmi_budget_warn(const uint8_t *bytes, uint64_t size, const spmm_plan_t *plan);

/* Returns the raw bytes of a section, or 0 if the container has no such section. */
uint64_t spmmi_container_raw(const struct spmmi_container *container, uint32_t type, uint32_t part);

#endif
