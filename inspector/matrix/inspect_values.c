/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/dtype.h"
#include "format/base/stored_value.h"
#include "format/base/team.h"
#include "inspect_values.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */

/* Round all; returns the first nonzero that is finite but too large for the type, nnz if there is none. */
static int64_t store_all(const spmm_matrix_t *a, int threads, spmm_plan_t *plan)
{
    int64_t first = a->nnz;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(a->nnz > NONZEROS_PARALLEL ? threads : 1)) \
    reduction(min                                                                                           \
              : first)
    for (int64_t p = 0; p < a->nnz; p++) {
        const double value = a->values == NULL ? 1.0 : a->values[p];
        spmmi_value_store(plan->values, plan->dtype, p, value);
        if (isinf(spmmi_value_load(plan->values, plan->dtype, p)) && !isinf(value))
            first = p < first ? p : first;
    }
    return first;
}

static int64_t row_of_nonzero(const spmm_matrix_t *a, int64_t p)
{
    int64_t row = 0;
    while (a->row_ptr[row + 1] <= p)
        row++;
    return row;
}

/* The narrowest type that holds a value whose magnitude is too large for another: bf16 reaches as far as f32. */
static const char *wide_enough(double value)
{
    const struct spmmi_dtype *found = NULL, *row = NULL;
    for (int i = 0; (row = spmmi_dtype_at(i)) != NULL; i++) {
        uint64_t room = 0; /* for a number of any type */
        spmmi_value_store(&room, row->id, 0, value);
        if (!isinf(spmmi_value_load(&room, row->id, 0)) && (found == NULL || row->bytes < found->bytes))
            found = row;
    }
    return found->name;
}

spmm_status_t spmmi_inspect_values(const spmm_matrix_t *a, int threads, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    plan->values = spmmi_alloc((uint64_t)a->nnz, spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(plan->values, diag);
    const int64_t p = store_all(a, threads, plan);
    if (p < a->nnz) {
        const int64_t row = row_of_nonzero(a, p);
        const char *use = wide_enough(a->values[p]);
        SPMM_FAIL_AT(SPMM_ERR_ARGUMENT, diag, ((struct spmmi_where){.offset = (uint64_t)row}),
                     "the value %.17g in row %lld, column %lld (counted from 1) is too large for %s: use %s "
                     "(--dtype %s)",
                     a->values[p], (long long)row + 1, (long long)a->col_ind[p] + 1,
                     spmm_dtype_name(plan->dtype), use, use);
    }
cleanup:
    return status;
}
