/* SPDX-License-Identifier: Apache-2.0 */
/* See equal_values.h. */
#include "equal_values.h"

#include "format/base/each.h"
#include "format/base/stored_value.h"

#define PIECE_VALUES (INT64_C(1) << 18) /* values that a thread compares at a time */

/* Returns true if a value of this piece differs from the next value of the plan. */
static int differs(const void *plan, uint64_t index, int thread)
{
    const spmm_plan_t *const p = plan;
    const int64_t begin = (int64_t)index * PIECE_VALUES, end = spmmi_piece_end(p->nnz, PIECE_VALUES, index);
    const void *const values = (const char *)p->values + (size_t)begin * spmm_dtype_size(p->dtype);
    (void)thread;
    return !spmmi_values_are_equal(values, p->dtype, (end < p->nnz ? end + 1 : end) - begin);
}

int spmmi_plan_has_equal_values(const spmm_plan_t *plan, int threads)
{
    const uint64_t pieces = spmmi_pieces(plan->nnz, PIECE_VALUES);
    return plan->values != NULL && pieces > 0 && spmmi_first_wrong(pieces, threads, differs, plan) == pieces;
}
