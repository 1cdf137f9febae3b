/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an executor needs, counted before it is made, and the caller's budgets for it. */
#ifndef SPMMI_NEEDS_H
#define SPMMI_NEEDS_H

#include "backend.h"

struct spmmi_needs {
    uint64_t host,
        device; /* what is held; at the end of a count also what is taken of the host while it is made */
    struct spmmi_value_bytes for_values; /* not in these; on a GPU it is taken while the executor is made */
    struct spmmi_part largest;           /* the part that takes most, of either memory */
    uint64_t largest_bytes;
    uint64_t host_allowed, device_allowed; /* UINT64_MAX: no limit */
};

/* No needs, within budgets of which 0 is none. */
struct spmmi_needs spmmi_needs_new(uint64_t host_budget, uint64_t device_budget);

/* A part takes so many bytes more, which its device has already been given. */
void spmmi_needs_part(struct spmmi_needs *needs, const struct spmmi_part *part, uint64_t bytes);

/* PLAN_BUDGET, and what needs most, where a memory and so many bytes more of the host are beyond what is allowed. */
spmm_status_t spmmi_needs_check(const struct spmmi_needs *needs, uint64_t more, spmm_diag_t *diag);

#endif
