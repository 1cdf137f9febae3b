/* SPDX-License-Identifier: Apache-2.0 */
/* New values for the pattern of an executor. */
#include "executor_state.h"
#include "format/base/diag.h"

spmm_status_t spmm_executor_set_values(spmm_executor_t *executor, const void *values, void *stream,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor != NULL, SPMM_ERR_ARGUMENT, diag, "the executor is NULL");
    SPMM_REQUIRE(values != NULL || executor->shape.nnz == 0, SPMM_ERR_ARGUMENT, diag,
                 "expected %lld values, found NULL", (long long)executor->shape.nnz);
    (void)pthread_rwlock_wrlock(executor->values_lock);
    status = executor->cuda != NULL ? spmmi_cuda_set_values(executor->cuda, values, stream, diag)
                                    : spmmi_cpu_set_values(executor->cpu, values);
    executor->has_values |= status == SPMM_OK;
    (void)pthread_rwlock_unlock(executor->values_lock);
cleanup:
    return status;
}
