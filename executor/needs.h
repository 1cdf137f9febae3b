/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that an executor needs, counted before it is made, and the caller's budgets for it. */
#ifndef SPMMI_NEEDS_H
#define SPMMI_NEEDS_H

#include "backend.h"

struct spmmi_needs {
    uint64_t host, device; /* memory that is held; at the end of a count host includes temporary memory */
    struct spmmi_value_bytes for_values; /* in addition; a GPU needs it while the executor is made */
    struct spmmi_part largest;           /* the part that takes most, in either memory */
    uint64_t largest_bytes;
    uint64_t host_allowed, device_allowed; /* UINT64_MAX: no limit */
};

/* Returns needs of 0 bytes within these budgets; a budget of 0 is no limit. */
struct spmmi_needs spmmi_needs_new(uint64_t host_budget, uint64_t device_budget);

/* Records a part that takes this many bytes, for the sentence of spmmi_needs_check. Does not add them. */
void spmmi_needs_part(struct spmmi_needs *needs, const struct spmmi_part *part, uint64_t bytes);

/* Returns PLAN_BUDGET, with a sentence that names the largest part, if the device memory, or the host memory
 * plus `more` bytes, exceeds what is allowed. */
spmm_status_t spmmi_needs_check(const struct spmmi_needs *needs, uint64_t more, spmm_diag_t *diag);

#endif
