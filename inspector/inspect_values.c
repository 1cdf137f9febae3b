/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "format/alloc.h"
#include "format/diag.h"
#include "inspect_values.h"

#define NONZEROS_PARALLEL 100000 /* below this many nonzeros one thread is faster */

/* Round to float; returns the first nonzero that is finite but too large for one, nnz if there is none. */
static int64_t to_float(int64_t nnz, const double *values, float *out, int threads)
{
    int64_t first = nnz;
#pragma omp parallel for schedule(static) num_threads(threads) if (nnz > NONZEROS_PARALLEL) \
    reduction(min                                                                           \
              : first)
    for (int64_t p = 0; p < nnz; p++) {
        out[p] = (float)values[p];
        if (isinf(out[p]) && !isinf(values[p]))
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

spmm_status_t spmmi_inspect_values(const spmm_matrix_t *a, int threads, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    plan->values = spmmi_alloc((uint64_t)a->nnz, spmm_dtype_size(plan->dtype));
    SPMM_TRY_ALLOC(plan->values, diag);
    if (a->values == NULL) {
        for (int64_t p = 0; p < a->nnz; p++) {
            if (plan->dtype == SPMM_F32)
                ((float *)plan->values)[p] = 1.0f;
            else
                ((double *)plan->values)[p] = 1.0;
        }
    } else if (plan->dtype == SPMM_F64) {
        memcpy(plan->values, a->values, (size_t)a->nnz * sizeof *a->values);
    } else {
        const int64_t p = to_float(a->nnz, a->values, plan->values, threads);
        if (p < a->nnz) {
            const int64_t row = row_of_nonzero(a, p);
            SPMM_FAIL_AT(
                SPMM_ERR_ARGUMENT, diag, ((struct spmmi_where){.offset = (uint64_t)row}),
                "the value %.17g in row %lld, column %lld (counted from 1) is too large for f32: use f64 "
                "(--dtype f64)",
                a->values[p], (long long)row + 1, (long long)a->col_ind[p] + 1);
        }
    }
cleanup:
    return status;
}
