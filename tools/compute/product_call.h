/* SPDX-License-Identifier: Apache-2.0 */
/* One product C = op(A) B, in the form that a stopwatch calls. */
#ifndef SPMM_TOOLS_PRODUCT_CALL_H
#define SPMM_TOOLS_PRODUCT_CALL_H

#include <spmm/executor.h>

#include "device_memory.h"

struct product_call {
    spmm_executor_t *executor;
    spmm_op_t op;
    const spmm_dense_t *b, *c;
    const struct device_block *workspace;
};

/* Makes the workspace large enough for the product. */
spmm_status_t product_call_reserve(const struct product_call *call, struct device_block *workspace,
                                   int device, spmm_diag_t *diag);
/* A timing_fn: context is a struct product_call *. */
spmm_status_t product_call_run(void *context, spmm_diag_t *diag);

#endif
