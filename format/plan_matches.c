/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a plan describes a given matrix.
 * All arrays are compared, so the result does not rely on digests. */
#include <math.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/stored_value.h"
#include "format/matrix/nonzero_row.h"
#include "plan.h"

static int64_t index_at(const void *array, spmm_itype_t type, int64_t i)
{
    return type == SPMM_I32 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static int is_itype(spmm_itype_t type)
{
    return type == SPMM_I32 || type == SPMM_I64;
}

static spmm_status_t check_view(const spmm_csr_t *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(a->rows >= 0 && a->cols >= 0 && a->nnz >= 0, SPMM_ERR_CSR, diag, "a dimension is negative");
    SPMM_REQUIRE(is_itype(a->row_ptr_type) && is_itype(a->col_ind_type), SPMM_ERR_ARGUMENT, diag,
                 "an index type is not known");
    SPMM_REQUIRE(a->values == NULL || spmm_dtype_size(a->value_type) != 0, SPMM_ERR_ARGUMENT, diag,
                 "value type %d is not known", (int)a->value_type);
    SPMM_REQUIRE(a->row_ptr != NULL && (a->col_ind != NULL || a->nnz == 0), SPMM_ERR_ARGUMENT, diag,
                 "row_ptr or col_ind is NULL");
cleanup:
    return status;
}

/* Returns the text that messages add to row and column
 * numbers if the plan holds the permuted matrix PAP^T. */
static const char *owner_text(const spmm_plan_t *plan)
{
    return plan->symmetric_permutation != NULL ? " of PAP^T" : "";
}

/* Compares dimensions, row pointers and columns. Columns are read only after the row pointers have matched,
 * so all reads stay inside the nnz entries of the caller's array. */
static spmm_status_t compare_pattern(const spmm_plan_t *plan, const spmm_csr_t *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(a->rows == plan->rows && a->cols == plan->cols && a->nnz == plan->nnz, SPMM_ERR_MISMATCH,
                 diag, "the plan is for %lld x %lld with %lld nonzeros, the matrix is %lld x %lld with %lld",
                 (long long)plan->rows, (long long)plan->cols, (long long)plan->nnz, (long long)a->rows,
                 (long long)a->cols, (long long)a->nnz);
    SPMM_REQUIRE(index_at(a->row_ptr, a->row_ptr_type, 0) == 0, SPMM_ERR_MISMATCH, diag,
                 "the first row pointer of the matrix is %lld, expected 0",
                 (long long)index_at(a->row_ptr, a->row_ptr_type, 0));
    for (int64_t i = 1; i <= plan->rows; i++) {
        const int64_t begin = plan->row_ptr[i - 1], end = index_at(a->row_ptr, a->row_ptr_type, i);
        const int64_t count = plan->row_ptr[i] - begin;
        SPMM_REQUIRE_AT(end == plan->row_ptr[i], SPMM_ERR_MISMATCH, diag, (uint64_t)i,
                        "row %lld (counted from 1)%s has %lld %s in the plan, %lld in the matrix",
                        (long long)i, owner_text(plan), (long long)count, count == 1 ? "entry" : "entries",
                        (long long)((uint64_t)end - (uint64_t)begin));
    }
    for (int64_t p = 0; p < plan->nnz; p++) {
        const int64_t found = index_at(a->col_ind, a->col_ind_type, p);
        if (found == plan->col_ind[p])
            continue;
        const int64_t row = spmmi_nonzero_row(plan->row_ptr, p);
        SPMM_FAIL_AT(
            SPMM_ERR_MISMATCH, diag, ((struct spmmi_where){.offset = (uint64_t)p}),
            "entry %lld of row %lld%s is in column %lld in the plan, %lld in the matrix (counted from 1)",
            (long long)(p - plan->row_ptr[row] + 1), (long long)row + 1, owner_text(plan),
            (long long)plan->col_ind[p] + 1, (long long)((uint64_t)found + 1));
    }
cleanup:
    return status;
}

/* Returns value p of an array as f64. values = NULL means a pattern, whose values count as 1. */
static double value_at(const void *values, spmm_dtype_t type, int64_t p)
{
    return values == NULL ? 1.0 : spmmi_value_load(values, type, p);
}

/* Returns true if found, rounded to the plan's type, has the bits of expected. Two NaNs are equal, because
 * rounding may change the payload of a NaN. */
static int is_same(double found, double expected, spmm_dtype_t type)
{
    const double rounded = spmmi_value_round(type, found);
    return memcmp(&rounded, &expected, sizeof rounded) == 0 || (isnan(rounded) && isnan(expected));
}

static spmm_status_t compare_values(const spmm_plan_t *plan, const spmm_csr_t *a, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(plan->values != NULL, SPMM_ERR_MISMATCH, diag, "the plan holds no values");
    for (int64_t p = 0; p < plan->nnz; p++) {
        const double expected = value_at(plan->values, plan->dtype, p),
                     found = value_at(a->values, a->value_type, p);
        if (is_same(found, expected, plan->dtype))
            continue;
        SPMM_FAIL_AT(
            SPMM_ERR_MISMATCH, diag, ((struct spmmi_where){.offset = (uint64_t)p}),
            "the value in row %lld, column %lld (counted from 1)%s is %.17g in the plan, %.17g in the matrix",
            (long long)spmmi_nonzero_row(plan->row_ptr, p) + 1, (long long)plan->col_ind[p] + 1,
            owner_text(plan), expected, found);
    }
cleanup:
    return status;
}

spmm_status_t spmm_plan_matches(const spmm_plan_t *plan, const spmm_csr_t *a, int with_values,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL && a != NULL, SPMM_ERR_ARGUMENT, diag, "plan or matrix is NULL");
    SPMM_TRY(check_view(a, diag));
    SPMM_TRY(compare_pattern(plan, a, diag));
    if (with_values)
        SPMM_TRY(compare_values(plan, a, diag));
cleanup:
    return status;
}
