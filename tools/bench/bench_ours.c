/* SPDX-License-Identifier: Apache-2.0 */
/* See bench_ours.h. Executors are made of the default plan, of the plans of bench_plans.h, and of the default
 * plan with each listed kernel forced. Several of them may lead to the same kernel, depending on the case; in
 * each case a kernel is measured only once. */
#include "bench_ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/families.h"
#include "tools/cli/fail.h"
#include "tools/cli/progress.h"
#include "tools/compute/product_call.h"

struct bench_ours {
    spmm_op_t op;
    const char *kernels;
    int has_unit_values, sets_values;
    int operator_at; /* index in the list of the executor that is prepared in each case; 0: none */
    int64_t longest; /* number of nonzeros in the longest row of op(A) */
    const struct bench_site *site;
    spmm_plan_t *plan;          /* the default plan */
    struct device_block values; /* values of A; empty if set_values is not measured */
    int count, left_out;
    struct {
        spmm_executor_t *executor;
        double ms_set_values;       /* 0 if not yet measured */
        spmm_reorder_t permutation; /* requested for the plan; the default plan has it in its trace */
    } list[OURS_MAX];               /* the first entry is the default choice */
};

/* Context of set_values. */
struct values_call {
    spmm_executor_t *executor;
    const void *values;
};

/* Adds an executor. If the plan or the device refuses it, it is no competitor and is omitted silently. If
 * memory is too short, it is counted in left_out. */
static void add_of_level(struct bench_ours *ours, const spmm_plan_t *plan, const char *kernel,
                         spmm_reorder_t permutation, spmm_jit_level_t level)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_status_t status = SPMM_ERR_MEMORY;
    options.jit = level;
    options.threads = ours->site->threads;
    options.force_kernel = kernel;
    options.unit_values = ours->has_unit_values;
    options.new_values = ours->sets_values;
    if (ours->count < OURS_MAX)
        status =
            spmm_executor_create(plan, ours->site->device, &options, &ours->list[ours->count].executor, NULL);
    if (status == SPMM_OK)
        ours->list[ours->count++].permutation = permutation;
    ours->left_out += status == SPMM_ERR_MEMORY || status == SPMM_ERR_DEVICE_MEMORY;
}

static void add(void *context, const spmm_plan_t *plan, const char *kernel, spmm_reorder_t permutation)
{
    add_of_level(context, plan, kernel, permutation, SPMM_JIT_OFF);
}

static void add_operator(struct bench_ours *ours)
{
    const int at = ours->count;
    add_of_level(ours, ours->plan, NULL, SPMM_REORDER_AUTO, SPMM_JIT_ON);
    ours->operator_at = ours->count > at ? at : 0;
}

/* Returns the length of the longest row of op(A). The statistics of a plan are always those of A. */
static int64_t longest_row(const spmm_plan_t *plan, spmm_op_t op)
{
    spmm_matrix_stats_t stats = {.struct_size = sizeof stats};
    if (spmm_plan_matrix_stats(plan, &stats) != SPMM_OK)
        return INT64_MAX;
    return op == SPMM_OP_T ? stats.col_max : stats.row_max;
}

static spmm_status_t upload_values(struct bench_ours *ours, const struct host_csr *a, spmm_diag_t *diag)
{
    const uint64_t bytes = (uint64_t)a->nnz * spmm_dtype_size(a->dtype);
    spmm_status_t status = SPMM_OK;
    void *values = host_csr_typed_values(a);
    if (values == NULL)
        return fail_memory(diag, bytes, "the values to set");
    TRY(device_block_reserve(&ours->values, ours->site->device, bytes, diag));
    TRY(device_upload(&ours->values, values, bytes, diag));
cleanup:
    free(values);
    return status;
}

spmm_status_t bench_ours_load(const spmm_matrix_t *matrix, spmm_dtype_t dtype, spmm_op_t op,
                              const struct ours_options *options, const struct bench_site *site,
                              struct bench_ours **ours, struct ours_info *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    void *bytes = NULL;
    size_t size = 0;
    struct bench_ours *made = calloc(1, sizeof *made);
    spmm_inspect_options_t plain = SPMM_INSPECT_OPTIONS_INIT;
    spmm_executor_options_t executor_options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_kernel_info_t kernel = {.struct_size = sizeof kernel};
    *ours = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the executors");
    made->op = op;
    made->kernels = options->kernels;
    made->has_unit_values = options->has_unit_values;
    made->sets_values = options->values != NULL;
    made->site = site;
    plain.a_type = dtype;
    plain.b_type = options->b_type;
    plain.c_type = options->c_type;
    plain.ops = 1u << op;
    plain.compute = dtype == SPMM_F32 ? options->compute : (spmm_compute_t)0;

    const double start = progress_seconds();
    TRY(spmm_inspect(matrix, &plain, &made->plan, diag));
    info->inspect_s = progress_seconds() - start;
    TRY(spmm_plan_write(made->plan, NULL, &bytes, &size, diag));
    info->plan_bytes = size;

    executor_options.threads = site->threads;
    executor_options.unit_values = options->has_unit_values;
    executor_options.new_values = made->sets_values;
    TRY(spmm_executor_create(made->plan, site->device, &executor_options, &made->list[0].executor, diag));
    made->count = 1;
    TRY(spmm_device_name(site->device, info->device_name, sizeof info->device_name));
    made->longest = longest_row(made->plan, op);
    if (options->values != NULL && options->values->nnz > 0)
        TRY(upload_values(made, options->values, diag));
    for (int i = 0; spmm_kernel_at(i, &kernel) == SPMM_OK; i++)
        add(made, made->plan, kernel.name, SPMM_REORDER_AUTO);
    if (options->has_operator)
        add_operator(made);
    plain.layouts = options->layouts;
    plain.n = options->n;
    plain.n_count = options->n_count;
    bench_plans_each(matrix, &plain, options->plans, add, made);
    info->left_out = made->left_out;
    *ours = made;
    made = NULL;
cleanup:
    bench_ours_destroy(made);
    spmm_plan_bytes_free(bytes);
    return status;
}

void bench_ours_destroy(struct bench_ours *ours)
{
    if (ours == NULL)
        return;
    for (int i = 0; i < ours->count; i++)
        spmm_executor_destroy(ours->list[i].executor);
    spmm_plan_destroy(ours->plan);
    device_block_free(&ours->values);
    free(ours);
}

static int is_measured(const struct ours_result *results, int count, const char *kernel)
{
    for (int i = 0; i < count; i++)
        if (strcmp(results[i].result.name, kernel) == 0)
            return 1;
    return 0;
}

/* Returns the row permutation of the default plan's variant for this case, from the trace. */
static spmm_reorder_t chosen_permutation(const struct bench_ours *ours, const struct bench_site *site)
{
    const uint32_t layout =
        site->b_view.layout == SPMM_ROW_MAJOR ? SPMM_LAYOUTS_ROW_MAJOR : SPMM_LAYOUTS_COL_MAJOR;
    const int64_t n = site->b_view.cols;
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    spmm_trace_info_t trace = {.struct_size = sizeof trace};
    int v = 0;
    while (
        spmm_plan_variant(ours->plan, v, &variant) == SPMM_OK &&
        (variant.op != ours->op || (variant.layouts & layout) == 0 || n < variant.n_min || n > variant.n_max))
        v++;
    for (int t = 0; spmm_plan_trace(ours->plan, t, &trace) == SPMM_OK; t++)
        if (trace.variant == v && trace.chosen && trace.reorder != SPMM_REORDER_AUTO)
            return trace.reorder;
    return SPMM_REORDER_AUTO;
}

/* Replaces "reordered" in a kernel's name by the permutation, because the same kernel with two permutations
 * is two competitors: "cuda/window/dense/reordered/tf32" with minhash becomes
 * "cuda/window/dense/minhash/tf32". */
static void name_permutation(const char *kernel, spmm_reorder_t permutation, char *name, size_t size)
{
    static const char word[] = "/reordered";
    const char *at = strstr(kernel, word);
    if (at == NULL || permutation == SPMM_REORDER_AUTO)
        snprintf(name, size, "%s", kernel);
    else
        snprintf(name, size, "%.*s/%s%s", (int)(at - kernel), kernel, spmm_reorder_name(permutation),
                 at + strlen(word));
}

/* Returns 1 if the segments of a kernel cut no row: then it equals the kernel for whole rows, which is
 * measured too. */
static int cuts_nothing(const struct bench_ours *ours, const char *kernel)
{
    const char *segmented = strstr(kernel, "/segmented-");
    return segmented != NULL && strtoll(segmented + strlen("/segmented-"), NULL, 10) >= ours->longest;
}

static spmm_status_t set_values(void *context, spmm_diag_t *diag)
{
    const struct values_call *call = context;
    return spmm_executor_set_values(call->executor, call->values, NULL, diag);
}

static void measure(struct bench_ours *ours, int at, struct bench_site *site, struct ours_result *ours_result)
{
    spmm_executor_t *executor = ours->list[at].executor;
    struct bench_result *result = &ours_result->result;
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct timing timing = {0};
    struct product_call call = {executor, ours->op, &site->b_view, &site->c_view, &site->workspace};
    struct values_call values = {executor, ours->values.data};

    const int takes_values = at == 0 || at != ours->operator_at; /* new values invalidate operators */
    if (takes_values && ours->values.data != NULL && ours->list[at].ms_set_values <= 0.0) {
        TRY(stopwatch_measure(site->watch, set_values, &values, &site->rule, &timing, &diag));
        ours->list[at].ms_set_values = timing.ms_cold;
    }
    ours_result->ms_set_values = ours->list[at].ms_set_values;
    TRY(product_call_reserve(&call, &site->workspace, site->device, &diag));
    if (site->device >= 0)
        TRY(spmm_executor_workspace_bytes(executor, ours->op, &site->b_view, &site->c_view,
                                          &result->memory.workspace, &diag));
    bench_site_measure(site, product_call_run, &call, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
}

/* Prepares the operator for this case. If there is none, the executor runs the plan's choice, which is
 * already measured. */
static void prepare(struct bench_ours *ours, const struct bench_site *site)
{
    spmm_preparation_t prepared = {.struct_size = sizeof prepared};
    (void)spmm_executor_prepare(ours->list[ours->operator_at].executor, ours->op, &site->b_view,
                                &site->c_view, SPMM_PREPARE_ANY_WIDTH, &prepared, NULL);
}

void bench_ours_run(struct bench_ours *ours, struct bench_site *site, struct ours_result results[OURS_MAX],
                    int *count)
{
    *count = 0;
    for (int i = 0; i < ours->count; i++) {
        struct ours_result *next = &results[*count];
        spmm_executor_info_t info = {.struct_size = sizeof info};
        spmm_executor_t *executor = ours->list[i].executor;
        if (i > 0 && i == ours->operator_at)
            prepare(ours, site);
        if (spmm_executor_info(executor, ours->op, &site->b_view, &site->c_view, &info, NULL) != SPMM_OK)
            continue;
        *next = (struct ours_result){.is_chosen = i == 0, .result.memory.a = info.device_bytes};
        const spmm_reorder_t permutation = ours->list[i].permutation;
        name_permutation(info.kernel,
                         permutation == SPMM_REORDER_AUTO ? chosen_permutation(ours, site) : permutation,
                         next->result.name, sizeof next->result.name);
        if (is_measured(results, *count, next->result.name))
            continue;
        if (i > 0 && ours->kernels != NULL && strstr(next->result.name, ours->kernels) == NULL)
            continue;
        if (i > 0 && cuts_nothing(ours, info.kernel))
            continue;
        snprintf(next->family, sizeof next->family, "%s", families_of_kernel(info.kernel).name);
        next->result.arithmetic = arithmetic_of_kernel(info.kernel, site->a->dtype);
        measure(ours, i, site, next);
        (*count)++;
    }
}
