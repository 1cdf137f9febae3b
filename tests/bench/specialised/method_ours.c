/* SPDX-License-Identifier: Apache-2.0 */
/* Products of the library: its kernels, and operators, which are compiled for one matrix. */
#include <stdio.h>

#include "method.h"
#include "tools/cli/fail.h"
#include "tools/compute/product_call.h"

enum { AHEAD_OF_TIME, SPECIALISED };

struct ours {
    spmm_executor_t *executor;
    struct device_block workspace;
    struct product_call call;
};

static spmm_status_t make(int kind, const struct method_case *of, void *state, spmm_diag_t *diag)
{
    struct ours *ours = state;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_preparation_t prepared = {.struct_size = sizeof prepared};
    spmm_status_t status = SPMM_OK;
    options.jit = kind == SPECIALISED ? SPMM_JIT_ON : SPMM_JIT_OFF;
    TRY(spmm_executor_create(of->plan, 0, &options, &ours->executor, diag));
    if (kind == SPECIALISED) {
        TRY(spmm_executor_prepare(ours->executor, SPMM_OP_N, of->b, of->c, SPMM_PREPARE_ANY_WIDTH, &prepared,
                                  diag));
        if (prepared.how == SPMM_PREPARED_NOT)
            return fail(diag, SPMM_ERR_UNSUPPORTED, "%s", prepared.note);
    }
    ours->call = (struct product_call){ours->executor, SPMM_OP_N, of->b, of->c, &ours->workspace};
    TRY(product_call_reserve(&ours->call, &ours->workspace, 0, diag));
cleanup:
    return status;
}

static spmm_status_t run(void *context, spmm_diag_t *diag)
{
    struct ours *ours = context;
    return product_call_run(&ours->call, diag);
}

static void describe(const void *state, struct method_facts *facts)
{
    const struct ours *ours = state;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    (void)spmm_executor_info(ours->executor, SPMM_OP_N, ours->call.b, ours->call.c, &info, NULL);
    (void)snprintf(facts->kernel, sizeof facts->kernel, "%s", info.kernel);
    facts->held_bytes = info.device_bytes + ours->workspace.bytes;
    facts->arithmetic = arithmetic_of_kernel(info.kernel, info.a_type);
}

static void drop(void *state)
{
    struct ours *ours = state;
    spmm_executor_destroy(ours->executor);
    device_block_free(&ours->workspace);
}

const struct method method_ours[] = {
    {"ours", AHEAD_OF_TIME, sizeof(struct ours), make, run, describe, drop},
    {"ours-specialised", SPECIALISED, sizeof(struct ours), make, run, describe, drop},
};
const int method_ours_count = sizeof method_ours / sizeof *method_ours;
