/* SPDX-License-Identifier: Apache-2.0 */
/* How an executor stores op(A) on a GPU for parts of the rows family, as far as the plan determines it. */
#ifndef SPMMI_ROWS_STREAM_PLAN_H
#define SPMMI_ROWS_STREAM_PLAN_H

#include <spmm/inspector.h>

#include "format/plan.h"

/* Fills info for values of type dtype. has_one_column: products of one column run the part. budget_bytes:
 * limit for a transpose, 0 for none. Errors: MEMORY, PLAN_BUDGET. */
spmm_status_t spmmi_rows_stream_of(const spmm_plan_t *plan, const struct spmmi_part *part, spmm_dtype_t dtype,
                                   int has_one_column, uint64_t budget_bytes, spmm_stream_info_t *info,
                                   spmm_diag_t *diag);

#endif
