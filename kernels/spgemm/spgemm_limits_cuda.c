/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_limits.h. */
#include "spgemm_limits.h"

#include "format/base/diag.h"

spmm_status_t spmmi_spgemm_require_counts(const struct spmmi_spgemm_stage *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t left = s->task.left.row_ptr[s->task.left.rows],
                  right = s->task.right.row_ptr[s->task.right.rows], c = s->c.row_ptr[s->task.left.rows];
    SPMM_REQUIRE(left <= INT32_MAX && right <= INT32_MAX && c <= INT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "a GPU supports matrices of at most %d entries, found %lld and %lld in the factors, %lld in "
                 "the product",
                 INT32_MAX, (long long)left, (long long)right, (long long)c);
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_budget(uint64_t allowed, uint64_t used, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(used <= allowed && bytes <= allowed - used, SPMM_ERR_PLAN_BUDGET, diag,
                 "the product holds %llu bytes of the GPU and needs %llu more: at most %llu are allowed",
                 (unsigned long long)used, (unsigned long long)bytes, (unsigned long long)allowed);
cleanup:
    return status;
}
