/* SPDX-License-Identifier: Apache-2.0 */
/* How a GPU's executor holds op(A) for parts of the rows family, as far as the plan says it. */
#ifndef SPMMI_ROWS_STREAM_PLAN_H
#define SPMMI_ROWS_STREAM_PLAN_H

#include <spmm/inspector.h>

#include "format/plan.h"

/* For values of this type. has_one_column: products of one column run the part. Errors: MEMORY. */
spmm_status_t spmmi_rows_stream_of(const spmm_plan_t *plan, const struct spmmi_part *part, spmm_dtype_t dtype,
                                   int has_one_column, uint64_t budget_bytes, spmm_stream_info_t *info,
                                   spmm_diag_t *diag);

#endif
