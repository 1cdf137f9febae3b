/* SPDX-License-Identifier: Apache-2.0 */
/* See symmetry.h. */
#include "format/symmetry.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

static void compare_values(const spmm_plan_t *plan, int64_t p, int64_t q, struct spmmi_symmetry *s)
{
    const size_t bytes = spmm_dtype_size(plan->dtype);
    const uint8_t *const a = (const uint8_t *)plan->values + (size_t)p * bytes;
    uint8_t b[8];
    memcpy(b, (const uint8_t *)plan->values + (size_t)q * bytes, bytes);
    s->is_mirrored = s->is_mirrored && memcmp(a, b, bytes) == 0;
    b[bytes - 1] ^= 0x80;
    s->is_skew = s->is_skew && memcmp(a, b, bytes) == 0;
}

/* Returns true if each entry (i, j) has a partner (j, i). Counts pairs and compares their values. next[i] is
 * the next entry of row i to compare; the caller sets it to row_ptr[i]. */
static bool has_partners(const spmm_plan_t *plan, int64_t *next, struct spmmi_symmetry *s)
{
    for (int64_t i = 0; i < plan->rows; i++) {
        for (int64_t p = next[i]; p < plan->row_ptr[i + 1]; p++) {
            const int64_t j = plan->col_ind[p];
            if (j == i)
                continue;
            if (j < i ||
                j >= plan->rows) /* row j has no entry in column i; plans in tests may have invalid columns */
                return false;
            const int64_t q = next[j]++;
            if (q >= plan->row_ptr[j + 1] || plan->col_ind[q] != i)
                return false;
            s->pairs++;
            if (s->is_mirrored || s->is_skew)
                compare_values(plan, p, q, s);
        }
    }
    return true;
}

struct spmmi_symmetry spmmi_symmetry_of(const spmm_plan_t *plan, bool with_values, int64_t *next)
{
    struct spmmi_symmetry s = {0, false, with_values, with_values};
    if (plan->rows != plan->cols)
        return s;
    memcpy(next, plan->row_ptr, ((size_t)plan->rows + 1) * sizeof *next);
    s.is_pattern = has_partners(plan, next, &s);
    return s;
}

static int has_diagonal(const spmm_plan_t *plan, const struct spmmi_symmetry *s)
{
    return plan->nnz > 2 * s->pairs;
}

spmm_status_t spmm_plan_symmetry(const spmm_plan_t *plan, spmm_symmetry_t *symmetry, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *next = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(plan != NULL && symmetry != NULL, SPMM_ERR_ARGUMENT, diag, "plan or symmetry is NULL");
    const bool with_values = plan->values != NULL;
    SPMM_TRY_ALLOC(next = spmmi_alloc((uint64_t)plan->rows + 1, sizeof *next), diag);
    const struct spmmi_symmetry s = spmmi_symmetry_of(plan, with_values, next);
    *symmetry = !s.is_pattern                          ? SPMM_SYMMETRY_GENERAL
                : !with_values || s.is_mirrored        ? SPMM_SYMMETRY_SYMMETRIC
                : s.is_skew && !has_diagonal(plan, &s) ? SPMM_SYMMETRY_SKEW
                                                       : SPMM_SYMMETRY_STRUCTURAL;
cleanup:
    spmmi_free(next);
    return status;
}

const char *spmm_symmetry_name(spmm_symmetry_t symmetry)
{
    static const char *const names[] = {"general", "symmetric", "skew-symmetric", "structural"};
    return (size_t)symmetry < sizeof names / sizeof names[0] ? names[symmetry] : "unknown";
}
