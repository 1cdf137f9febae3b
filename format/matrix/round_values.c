/* SPDX-License-Identifier: Apache-2.0 */
/* See round_values.h. */
#include "round_values.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/dtype.h"
#include "format/base/stored_value.h"
#include "format/base/team.h"
#include "format/family.h"
#include "nonzero_row.h"

#define NONZEROS_PARALLEL 100000 /* with fewer nonzeros, one thread is faster */

static double value_at(const spmm_csr_t *a, int64_t p)
{
    return a->values == NULL ? 1.0 : spmmi_value_load(a->values, a->value_type, p);
}

/* Rounds all values and, unless values is NULL, stores them there. Returns the first nonzero whose value is
 * finite but too large for the type, or nnz if there is none. */
static int64_t round_all(const spmm_csr_t *a, spmm_dtype_t type, int threads, void *values)
{
    int64_t first = a->nnz;
#pragma omp parallel for schedule(static) num_threads(spmmi_team(a->nnz > NONZEROS_PARALLEL ? threads : 1)) \
    reduction(min                                                                                           \
              : first)
    for (int64_t p = 0; p < a->nnz; p++) {
        const double value = value_at(a, p);
        if (values != NULL)
            spmmi_value_store(values, type, p, value);
        if (isinf(spmmi_value_round(type, value)) && !isinf(value))
            first = p < first ? p : first;
    }
    return first;
}

/* Returns the name of the narrowest type whose range contains value. bf16 has the range of f32. */
static const char *wide_enough(double value)
{
    const struct spmmi_dtype *found = NULL, *row = NULL;
    for (int i = 0; (row = spmmi_dtype_at(i)) != NULL; i++) {
        if (!isinf(spmmi_value_round(row->id, value)) && (found == NULL || row->bytes < found->bytes))
            found = row;
    }
    return found->name;
}

static spmm_status_t fail_large(const spmm_csr_t *a, spmm_dtype_t type, int64_t p, spmm_diag_t *diag)
{
    const int64_t row = spmmi_nonzero_row(a->row_ptr, p);
    const double value = value_at(a, p);
    const char *use = wide_enough(value);
    return spmmi_diag_set(
        diag, SPMM_ERR_ARGUMENT, (struct spmmi_where){.offset = (uint64_t)row},
        "the value %.17g in row %lld, column %lld (counted from 1) is too large for %s: use %s "
        "(--dtype %s)",
        value, (long long)row + 1, (long long)((const int32_t *)a->col_ind)[p] + 1, spmm_dtype_name(type),
        use, use);
}

spmm_status_t spmmi_values_round(const spmm_csr_t *a, spmm_dtype_t type, int threads, void **values,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t p = a->nnz;
    void *rounded = spmmi_alloc((uint64_t)a->nnz, spmm_dtype_size(type));
    SPMM_TRY_ALLOC(rounded, diag);
    if (a->values != NULL && a->value_type == type)
        memcpy(rounded, a->values, (size_t)a->nnz * spmm_dtype_size(type));
    else
        p = round_all(a, type, threads, rounded);
    if (p < a->nnz) {
        status = fail_large(a, type, p, diag);
        goto cleanup;
    }
    *values = rounded;
    rounded = NULL;
cleanup:
    spmmi_free(rounded);
    return status;
}

spmm_status_t spmmi_values_fit(const spmm_plan_t *plan, uint32_t types, int threads, spmm_diag_t *diag)
{
    const uint32_t others = types & ~SPMMI_TYPE_BIT(plan->dtype);
    const struct spmmi_dtype *row = NULL;
    spmm_csr_t a;
    (void)spmm_plan_csr(plan, &a); /* fails for NULL only */
    for (int i = 0; (row = spmmi_dtype_at(i)) != NULL; i++) {
        const bool is_asked = (others & SPMMI_TYPE_BIT(row->id)) != 0;
        const int64_t p = is_asked ? round_all(&a, row->id, threads, NULL) : a.nnz;
        if (p < a.nnz)
            return fail_large(&a, row->id, p, diag);
    }
    return SPMM_OK;
}
