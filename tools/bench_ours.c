/* SPDX-License-Identifier: Apache-2.0 */
/* The default plan, one plan for each schedule of the rows family, the default plan with each kernel of the catalogue
 * forced, and the plans of the tiled family if they are asked for. Which of them lead to the same kernel is seen case
 * by case: a kernel is measured once. */
#include "bench_ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "progress.h"

#define TILE_MAX 32 /* columns a thread of the tiled kernels */

struct bench_ours {
    spmm_op_t op;
    const char *kernels;
    int64_t longest; /* nonzeros of the longest row of op(A) */
    int count;
    spmm_executor_t *executors[OURS_MAX]; /* the first is the default choice */
};

struct call {
    spmm_executor_t *executor;
    spmm_op_t op;
    const spmm_dense_t *b, *c;
    void *workspace;
    uint64_t workspace_bytes;
};

static spmm_status_t execute(void *context, spmm_diag_t *diag)
{
    const struct call *call = context;
    const spmm_status_t status = spmm_execute(call->executor, call->op, 1.0, call->b, 0.0, call->c,
                                              call->workspace, call->workspace_bytes, NULL);
    return status == SPMM_OK ? SPMM_OK : fail(diag, status, "%s", spmm_status_text(status));
}

/* Add an executor; one that the plan or the device refuses is no competitor and is left out. */
static void add(struct bench_ours *ours, const spmm_plan_t *plan, const char *kernel,
                const struct bench_site *site)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.device = site->device;
    options.threads = site->threads;
    options.force_kernel = kernel;
    if (ours->count < OURS_MAX &&
        spmm_executor_create(plan, &options, &ours->executors[ours->count], NULL) == SPMM_OK)
        ours->count++;
}

static void add_plan(struct bench_ours *ours, const spmm_matrix_t *matrix,
                     const spmm_inspect_options_t *options, const struct bench_site *site)
{
    spmm_plan_t *plan = NULL;
    if (spmm_inspect(matrix, options, &plan, NULL) == SPMM_OK)
        add(ours, plan, NULL, site);
    spmm_plan_destroy(plan);
}

/* The same plan with each number of columns that a thread may keep. */
static void add_tiles(struct bench_ours *ours, const spmm_matrix_t *matrix,
                      const spmm_inspect_options_t *options, const struct bench_site *site)
{
    spmm_plan_t *plan = NULL;
    if (spmm_inspect(matrix, options, &plan, NULL) == SPMM_OK) {
        for (unsigned tile = 1; tile <= TILE_MAX; tile *= 2) {
            char kernel[64];
            snprintf(kernel, sizeof kernel, "cuda/tiled/%s/r%u", spmm_schedule_name(options->schedule), tile);
            add(ours, plan, kernel, site);
        }
    }
    spmm_plan_destroy(plan);
}

static void add_schedules(struct bench_ours *ours, const spmm_matrix_t *matrix,
                          const spmm_inspect_options_t *options, const struct bench_site *site)
{
    static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT};
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
        spmm_inspect_options_t forced = *options;
        forced.schedule = schedules[s];
        add_plan(ours, matrix, &forced, site);
    }
}

/* An order that is that of the matrix is left out by the inspector: such a plan names the kernel of the plain one. */
static void add_tiled(struct bench_ours *ours, const spmm_matrix_t *matrix,
                      const spmm_inspect_options_t *options, enum ours_plans plans,
                      const struct bench_site *site)
{
    static const struct {
        spmm_schedule_t schedule;
        spmm_reorder_t reorder;
        uint32_t panel_rows;
    } variants[] = {
        {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_NONE, 256},      {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_NONE, 64},
        {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_RADIX, 256},     {SPMM_SCHEDULE_WHOLE, SPMM_REORDER_RADIX, 64},
        {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_NONE, 256},  {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_NONE, 64},
        {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_RADIX, 256}, {SPMM_SCHEDULE_SEGMENTED, SPMM_REORDER_RADIX, 64},
    };
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        spmm_inspect_options_t forced = *options;
        forced.schedule = variants[v].schedule;
        forced.reorder = variants[v].reorder;
        forced.panel_rows = variants[v].panel_rows;
        if (plans == OURS_PLANS_ALL)
            add_plan(ours, matrix, &forced, site);
        else if (forced.reorder == SPMM_REORDER_NONE)
            add_tiles(ours, matrix, &forced, site);
    }
}

/* The statistics of a plan are those of A, whatever op it is for. */
static int64_t longest_row(const spmm_plan_t *plan, spmm_op_t op)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    if (spmm_plan_info(plan, &info) != SPMM_OK)
        return INT64_MAX;
    return op == SPMM_OP_T ? info.stats.col_max : info.stats.row_max;
}

spmm_status_t bench_ours_load(const spmm_matrix_t *matrix, spmm_dtype_t dtype, spmm_op_t op,
                              const struct ours_options *options, const struct bench_site *site,
                              struct bench_ours **ours, struct ours_info *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_t *plan = NULL;
    void *bytes = NULL;
    size_t size = 0;
    struct bench_ours *made = calloc(1, sizeof *made);
    spmm_inspect_options_t plain = SPMM_INSPECT_OPTIONS_INIT;
    spmm_executor_options_t executor_options = SPMM_EXECUTOR_OPTIONS_INIT;
    *ours = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "the executors");
    made->op = op;
    made->kernels = options->kernels;
    plain.dtype = dtype;
    plain.ops = op == SPMM_OP_T ? 2u : 1u;

    const double start = progress_seconds();
    TRY(spmm_inspect(matrix, &plain, &plan, diag));
    info->inspect_s = progress_seconds() - start;
    TRY(spmm_plan_write(plan, NULL, &bytes, &size, diag));
    info->plan_bytes = size;

    executor_options.device = site->device;
    executor_options.threads = site->threads;
    TRY(spmm_executor_create(plan, &executor_options, &made->executors[0], diag));
    made->count = 1;
    TRY(spmm_device_name(site->device, info->device_name, sizeof info->device_name));
    made->longest = longest_row(plan, op);
    add_schedules(made, matrix, &plain, site);
    for (int i = 0; i < spmm_kernel_count(); i++)
        add(made, plan, spmm_kernel_name(i), site);
    if (options->plans != OURS_PLANS_DEFAULT) {
        plain.layouts = options->layouts;
        plain.n = options->n;
        plain.n_count = options->n_count;
        add_tiled(made, matrix, &plain, options->plans, site);
    }
    *ours = made;
    made = NULL;
cleanup:
    bench_ours_destroy(made);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    return status;
}

void bench_ours_destroy(struct bench_ours *ours)
{
    if (ours == NULL)
        return;
    for (int i = 0; i < ours->count; i++)
        spmm_executor_destroy(ours->executors[i]);
    free(ours);
}

static int is_measured(const struct ours_result *results, int count, const char *kernel)
{
    for (int i = 0; i < count; i++)
        if (strcmp(results[i].result.name, kernel) == 0)
            return 1;
    return 0;
}

/* The part of a kernel's name that is a family's, such as "rows" in "cpu/rows/row-split". */
static void family_of(const char *kernel, char *family, size_t size)
{
    snprintf(family, size, "?");
    while (*kernel != '\0') {
        const size_t length = strcspn(kernel, "/");
        for (int f = 1; strcmp(spmm_family_name((spmm_family_t)f), "?") != 0; f++) {
            const char *name = spmm_family_name((spmm_family_t)f);
            if (strlen(name) == length && memcmp(name, kernel, length) == 0)
                snprintf(family, size, "%s", name);
        }
        kernel += kernel[length] == '/' ? length + 1 : length;
    }
}

/* Segments that cut no row are whole rows, which are measured as such. */
static int cuts_nothing(const struct bench_ours *ours, const char *kernel)
{
    const char *segmented = strstr(kernel, "/segmented-");
    return segmented != NULL && strtoll(segmented + strlen("/segmented-"), NULL, 10) >= ours->longest;
}

static void measure(struct bench_ours *ours, spmm_executor_t *executor, struct bench_site *site,
                    struct bench_result *result)
{
    spmm_status_t status = SPMM_OK;
    spmm_diag_t diag = {.status = SPMM_OK};
    struct call call = {executor, ours->op, &site->b_view, &site->c_view, NULL, 0};

    TRY(spmm_executor_workspace_bytes(executor, ours->op, call.b, call.c, &call.workspace_bytes));
    TRY(device_block_reserve(&site->workspace, site->device, call.workspace_bytes, &diag));
    call.workspace = site->workspace.data;
    bench_site_measure(site, execute, &call, result);
cleanup:
    if (status != SPMM_OK)
        bench_result_fail(result, status, &diag);
}

void bench_ours_run(struct bench_ours *ours, struct bench_site *site, struct ours_result results[OURS_MAX],
                    int *count)
{
    *count = 0;
    for (int i = 0; i < ours->count; i++) {
        struct ours_result *next = &results[*count];
        spmm_executor_info_t info = {.struct_size = sizeof info};
        if (spmm_executor_info(ours->executors[i], ours->op, &site->b_view, &site->c_view, &info) !=
                SPMM_OK ||
            is_measured(results, *count, info.kernel))
            continue;
        if (i > 0 && ours->kernels != NULL && strstr(info.kernel, ours->kernels) == NULL)
            continue;
        if (i > 0 && cuts_nothing(ours, info.kernel))
            continue;
        *next = (struct ours_result){.is_chosen = i == 0};
        snprintf(next->result.name, sizeof next->result.name, "%s", info.kernel);
        family_of(info.kernel, next->family, sizeof next->family);
        measure(ours, ours->executors[i], site, &next->result);
        (*count)++;
    }
}
