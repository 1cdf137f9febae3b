/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU takes of a sparse product, however its stages are run. */
#ifndef SPMMI_SPGEMM_LIMITS_H
#define SPMMI_SPGEMM_LIMITS_H

#include "executor/spgemm/spgemm_stage.h"

/* TOO_LARGE, where entries of the factors or of the product are more than a GPU counts. */
spmm_status_t spmmi_spgemm_require_counts(const struct spmmi_spgemm_stage *stage, spmm_diag_t *diag);
/* Before so many bytes of the device are taken. PLAN_BUDGET. */
spmm_status_t spmmi_spgemm_budget(uint64_t allowed, uint64_t used, uint64_t bytes, spmm_diag_t *diag);

#endif
