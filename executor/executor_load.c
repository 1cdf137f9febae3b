/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_executor_load: makes an executor from a plan file. */
#include <spmm/executor.h>

#include "format/base/diag.h"

spmm_status_t spmm_executor_load(const char *path, const spmm_load_options_t *load, int device,
                                 const spmm_executor_options_t *options, spmm_executor_t **executor,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *plan = NULL;
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(executor != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the executor is NULL");
    *executor = NULL;
    SPMM_TRY(spmm_plan_load(path, load, &plan, diag));
    SPMM_TRY(spmm_executor_create(plan, device, options, executor, diag));
cleanup:
    spmm_plan_destroy(plan);
    return status;
}
