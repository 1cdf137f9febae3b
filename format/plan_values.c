/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on the values of a plan: a new plan with other values for the same pattern, and the diagonal. */
#include <string.h>

#include "format/base/diag.h"
#include "format/base/digest.h"
#include "format/base/stored_value.h"
#include "format/matrix/round_values.h"
#include "plan.h"

static int64_t count_zeros(const spmm_plan_t *plan)
{
    int64_t zeros = 0;
    for (int64_t p = 0; p < plan->nnz; p++)
        zeros += spmmi_value_load(plan->values, plan->dtype, p) == 0;
    return zeros;
}

spmm_status_t spmm_plan_with_values(const spmm_plan_t *plan, const void *values, spmm_dtype_t value_type,
                                    spmm_plan_t **updated, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *p = NULL;
    spmm_csr_t a;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(updated != NULL, SPMM_ERR_ARGUMENT, diag, "updated is NULL");
    *updated = NULL;
    SPMM_REQUIRE(plan != NULL && (values != NULL || plan->nnz == 0), SPMM_ERR_ARGUMENT, diag,
                 "plan or values is NULL");
    SPMM_REQUIRE(spmm_dtype_size(value_type) != 0, SPMM_ERR_ARGUMENT, diag, "value type %d is not known",
                 (int)value_type);
    SPMM_REQUIRE(plan->product == NULL, SPMM_ERR_UNSUPPORTED, diag,
                 "the plan is of a product of sparse matrices: its values come from those of the factors");
    SPMM_TRY(spmmi_plan_copy_pattern(plan, &p, diag));
    (void)spmm_plan_csr(plan, &a); /* fails for NULL only */
    a.values = values;
    a.value_type = value_type;
    SPMM_TRY(spmmi_values_round(&a, p->dtype, 0, &p->values, diag));
    SPMM_TRY(spmmi_values_fit(p, spmmi_plan_types(p), 0, diag));
    spmmi_digest_values(p->nnz, p->dtype, p->values, p->values_digest);
    p->stats.zeros = count_zeros(p);
    *updated = p;
    p = NULL;
cleanup:
    spmm_plan_destroy(p);
    return status;
}

/* Returns the index of the nonzero in row i and column i, or -1 if there is none. */
static int64_t find_diagonal(const spmm_plan_t *plan, int64_t i)
{
    int64_t low = plan->row_ptr[i], high = plan->row_ptr[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (plan->col_ind[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->row_ptr[i + 1] && plan->col_ind[low] == i ? low : -1;
}

spmm_status_t spmm_plan_diagonal(const spmm_plan_t *plan, spmm_dtype_t type, void *diagonal,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL, SPMM_ERR_ARGUMENT, diag, "plan is NULL");
    SPMM_REQUIRE(type == plan->dtype || type == SPMM_F64, SPMM_ERR_ARGUMENT, diag,
                 "value type %d, expected that of the plan, %s, or f64", (int)type,
                 spmm_dtype_name(plan->dtype));
    SPMM_REQUIRE(plan->values != NULL, SPMM_ERR_ARGUMENT, diag, "the plan holds no values");
    const int64_t count = plan->rows < plan->cols ? plan->rows : plan->cols;
    const size_t size = spmm_dtype_size(type);
    SPMM_REQUIRE(diagonal != NULL || count == 0, SPMM_ERR_ARGUMENT, diag, "diagonal is NULL");
    for (int64_t i = 0; i < count; i++) {
        const int64_t p = find_diagonal(plan, i);
        char *to = (char *)diagonal + (size_t)i * size;
        if (p >= 0 && type == plan->dtype) /* copies the bits, so that the payload of a NaN is kept */
            memcpy(to, (const char *)plan->values + (size_t)p * size, size);
        else
            spmmi_value_store(diagonal, type, i, p >= 0 ? spmmi_value_load(plan->values, plan->dtype, p) : 0);
    }
cleanup:
    return status;
}
