/* SPDX-License-Identifier: Apache-2.0 */
/* New values for the pattern of an executor. */
#include "executor_state.h"
#include "format/base/diag.h"

/* Writes the values under the exclusive lock: no product begins meanwhile. */
static spmm_status_t values_write(spmm_executor_t *executor, const void *values, void *stream,
                                  spmm_diag_t *diag)
{
    (void)pthread_rwlock_wrlock(executor->values_lock);
    const spmm_status_t status = executor->cuda != NULL
                                     ? spmmi_cuda_set_values(executor->cuda, values, stream, diag)
                                     : spmmi_cpu_set_values(executor->cpu, values);
    executor->has_values |= status == SPMM_OK;
    if (executor->jit != NULL)
        spmmi_jit_values_change(executor->jit);
    (void)pthread_rwlock_unlock(executor->values_lock);
    return status;
}

/* Sets new values. The waits for the stream are outside the lock: under it, products on other streams would
 * wait too, while this stream may itself wait for one of them. The first wait is needed since CUDA waits for
 * the stream when it copies from pageable memory, which would happen under the lock. The second is needed
 * since the caller may free the values afterwards. */
spmm_status_t spmm_executor_set_values(spmm_executor_t *executor, const void *values, void *stream,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor != NULL, SPMM_ERR_ARGUMENT, diag, "the executor is NULL");
    SPMM_REQUIRE(!executor->has_unit_values, SPMM_ERR_ARGUMENT, diag,
                 "the executor was made with unit_values: it takes no values");
    SPMM_REQUIRE(values != NULL || executor->shape.nnz == 0, SPMM_ERR_ARGUMENT, diag,
                 "expected %lld values, found NULL", (long long)executor->shape.nnz);
    if (executor->cuda != NULL) {
        SPMM_TRY(spmmi_cuda_values_open(executor->cuda, stream, diag));
        SPMM_TRY(spmmi_cuda_values_wait(executor->cuda, values, stream, diag));
    }
    SPMM_TRY(values_write(executor, values, stream, diag));
    if (executor->cuda != NULL)
        SPMM_TRY(spmmi_cuda_values_wait(executor->cuda, values, stream, diag));
cleanup:
    return status;
}
