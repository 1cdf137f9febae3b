/* SPDX-License-Identifier: Apache-2.0 */
/* See product_call.h. */
#include "product_call.h"

#include "tools/cli/fail.h"

spmm_status_t product_call_reserve(const struct product_call *call, struct device_block *workspace,
                                   int device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    TRY(spmm_executor_workspace_bytes(call->executor, call->op, call->b, call->c, &bytes, NULL));
    TRY(device_block_reserve(workspace, device, bytes, diag));
cleanup:
    return status;
}

spmm_status_t product_call_run(void *context, spmm_diag_t *diag)
{
    const struct product_call *call = context;
    const spmm_status_t status =
        spmm_execute(call->executor, call->op, spmm_real(1.0), call->b, spmm_real(0.0), call->c,
                     call->workspace->data, call->workspace->bytes, NULL, NULL);
    return status == SPMM_OK ? SPMM_OK : fail(diag, status, "%s", spmm_status_text(status));
}
