/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a sparse product on a GPU, independent of how its stages are run. */
#ifndef SPMMI_SPGEMM_LIMITS_H
#define SPMMI_SPGEMM_LIMITS_H

#include "executor/spgemm/spgemm_stage.h"

/* Checks that the entries of the factors and of the product can be counted on a GPU. Errors: TOO_LARGE. */
spmm_status_t spmmi_spgemm_require_counts(const struct spmmi_spgemm_stage *stage, spmm_diag_t *diag);
/* Checks that `bytes` more may be allocated on the device, which already holds `used` bytes. Errors:
 * PLAN_BUDGET. */
spmm_status_t spmmi_spgemm_budget(uint64_t allowed, uint64_t used, uint64_t bytes, spmm_diag_t *diag);

#endif
