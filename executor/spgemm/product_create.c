/* SPDX-License-Identifier: Apache-2.0 */
/* Makes an spmm_product_t from the plan of a product: copies the patterns, proves them, and cuts the work
 * into units. */
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/plan.h"
#include "product_state.h"

_Static_assert(sizeof(spmm_product_t) <= SPMMI_SPGEMM_STATE_BYTES, "as plans tell it");

enum kernel { KERNEL_AUTO, KERNEL_COLUMNS, KERNEL_POSITIONS, KERNEL_GROUPS, KERNEL_MASKS };

struct creation {
    spmm_product_t *product;
    int device;
    spmm_product_executor_options_t options;
    enum kernel kernel;
    spmm_diag_t *diag;
};

static spmm_status_t options_read(struct creation *in, const spmm_product_executor_options_t *given)
{
    spmm_status_t status = SPMM_OK;
    static const char *const names[] = {"", "columns", "positions", "groups", "masks"};
    struct spmmi_device_memory memory;
    spmm_product_executor_options_t *o = &in->options;
    *o = (spmm_product_executor_options_t)SPMM_PRODUCT_EXECUTOR_OPTIONS_INIT;
    SPMM_TRY(spmmi_options_read(o, sizeof *o, given, "product executor options", in->diag));
    SPMM_REQUIRE(o->threads >= 0, SPMM_ERR_ARGUMENT, in->diag, "threads is %d, expected 0 or more",
                 o->threads);
    SPMM_TRY(spmmi_device_memory_open(o->allocator, in->device, &memory, in->diag));
    SPMM_TRY(spmmi_product_device(&in->device, in->diag));
    for (int k = KERNEL_COLUMNS; o->force_kernel != NULL && k <= KERNEL_MASKS; k++)
        if (strcmp(o->force_kernel, names[k]) == 0)
            in->kernel = (enum kernel)k;
    SPMM_REQUIRE(in->device >= 0 || o->force_kernel == NULL || in->kernel != KERNEL_AUTO, SPMM_ERR_ARGUMENT,
                 in->diag, "unknown kernel \"%s\" of products, expected columns, positions, groups or masks",
                 o->force_kernel);
cleanup:
    return status;
}

/* Checks that the budget allows `bytes` more, and records the `kept` bytes that stay allocated. */
static spmm_status_t take(struct creation *in, uint64_t bytes, uint64_t kept)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_spgemm_require_bytes(in->product->bytes, bytes, in->options.host_budget_bytes, in->diag));
    in->product->bytes += kept;
cleanup:
    return status;
}

static spmm_status_t copy_plan(struct creation *in, const spmm_plan_t *plan)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_t *x = in->product;
    const uint64_t rows = (uint64_t)plan->rows + 1, nnz = (uint64_t)plan->nnz;
    const uint64_t bytes = sizeof *x + sizeof *x->plan + rows * sizeof *x->row_ptr +
                           nnz * sizeof *x->col_ind + spmmi_spgemm_pattern_bytes(plan->product);
    SPMM_TRY(take(in, bytes, bytes));
    SPMM_TRY(spmmi_spgemm_copy(plan->product, &x->plan, in->diag));
    SPMM_TRY_ALLOC(x->row_ptr = spmmi_alloc(rows, sizeof *x->row_ptr), in->diag);
    SPMM_TRY_ALLOC(x->col_ind = spmmi_alloc(nnz, sizeof *x->col_ind), in->diag);
    memcpy(x->row_ptr, plan->row_ptr, rows * sizeof *x->row_ptr);
    memcpy(x->col_ind, plan->col_ind, nnz * sizeof *x->col_ind);
    x->rows = plan->rows;
    x->cols = plan->cols;
    x->nnz = plan->nnz;
    x->dtype = plan->dtype;
cleanup:
    return status;
}

/* Returns what a budget (0: no limit) leaves after `used` bytes. */
static uint64_t left_of(uint64_t budget, uint64_t used)
{
    return budget == 0 ? UINT64_MAX : budget > used ? budget - used : 0;
}

/* Returns the most bytes that positions or masks may take; 0: none are derived. By rule they may double the
 * memory of the product, because they were the faster kernels in all measurements. The budget must also hold
 * what their derivation needs, which includes a second copy of them. */
static uint64_t positions_max(const struct creation *in, const struct spmmi_spgemm_stage *stage,
                              int has_masks)
{
    const uint64_t budget = in->options.host_budget_bytes, used = in->product->bytes;
    const uint64_t held =
        budget == 0 ? 0 : used + spmmi_spgemm_positions_scratch(stage, has_masks, in->product->threads);
    const uint64_t left = left_of(budget, held) / (budget == 0 ? 1 : 2);
    const uint64_t wanted = in->kernel == KERNEL_AUTO ? used : in->kernel == KERNEL_COLUMNS ? 0 : UINT64_MAX;
    return wanted < left ? wanted : left;
}

/* Derives positions or masks if there is memory for them. */
static spmm_status_t try_positions(struct creation *in, struct spmmi_spgemm_stage *stage, int has_masks)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_t *x = in->product;
    const uint64_t most = positions_max(in, stage, has_masks);
    uint64_t bytes = 0;
    if (most > 0)
        SPMM_TRY(spmmi_spgemm_positions(stage, has_masks, x->threads, most, &bytes, in->diag));
    x->bytes += bytes;
cleanup:
    return status;
}

/* Tries masks, if they are named or the rule prefers them, and then positions, for which memory may still
 * suffice. */
static spmm_status_t make_positions(struct creation *in, struct spmmi_spgemm_stage *stage)
{
    spmm_status_t status = SPMM_OK;
    if (in->kernel == KERNEL_MASKS || (in->kernel == KERNEL_AUTO && spmmi_spgemm_masks_pay()))
        SPMM_TRY(try_positions(in, stage, 1));
    if (in->kernel != KERNEL_MASKS && stage->positions == NULL)
        SPMM_TRY(try_positions(in, stage, 0));
cleanup:
    return status;
}

/* Makes groups. If they are named, the budget must allow them; else they are made only if it does. */
static spmm_status_t make_groups(struct creation *in, struct spmmi_spgemm_stage *stage)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_t *x = in->product;
    const int64_t rows = stage->task.left.rows;
    const int is_forced = in->kernel == KERNEL_GROUPS;
    const int64_t groups_max = is_forced ? rows : rows - rows / SPMMI_SPGEMM_GROUPED_SHARE;
    const uint64_t wanted = spmmi_spgemm_groups_bytes(stage);
    uint64_t bytes = 0;
    if (is_forced)
        SPMM_TRY(take(in, wanted, 0));
    if (is_forced || wanted <= left_of(in->options.host_budget_bytes, x->bytes))
        SPMM_TRY(spmmi_spgemm_groups(stage, groups_max, &bytes, in->diag));
    x->bytes += bytes;
cleanup:
    return status;
}

static spmm_status_t make_stage(struct creation *in, int index)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    spmm_product_t *x = in->product;
    struct spmmi_spgemm_stage *stage = &x->stages[index];
    stage->task = x->tasks.task[index];
    stage->c = x->tasks.result[index];
    SPMM_TRY(spmmi_spgemm_units(stage, x->plan, x->bytes, in->options.host_budget_bytes, &bytes, in->diag));
    x->bytes += bytes;
    if (in->device < 0)
        SPMM_TRY(make_positions(in, stage));
    if (stage->positions != NULL && stage->forms == NULL && in->kernel != KERNEL_POSITIONS)
        SPMM_TRY(make_groups(in, stage));
cleanup:
    return status;
}

static spmm_status_t make_stages(struct creation *in)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_t *x = in->product;
    const struct spmmi_csr_pattern c = {x->rows, x->cols, x->row_ptr, x->col_ind};
    const uint64_t bytes = spmmi_spgemm_tasks_bytes(x->plan, x->nnz);
    SPMM_TRY(take(in, bytes, bytes));
    SPMM_TRY(spmmi_spgemm_tasks_make(x->plan, &c, x->threads, &x->tasks, in->diag));
    SPMM_TRY(take(in, spmmi_spgemm_proof_bytes(&x->tasks, x->threads), 0));
    SPMM_TRY(spmmi_spgemm_prove(&x->tasks, x->threads, in->diag));
    for (int i = 0; i < x->tasks.count; i++)
        SPMM_TRY(make_stage(in, i));
cleanup:
    return status;
}

static spmm_status_t make_gpu(struct creation *in)
{
    spmm_product_t *x = in->product;
    const spmm_product_executor_options_t *o = &in->options;
    const struct spmmi_spgemm_gpu_source source = {.device = in->device,
                                                   .dtype = x->dtype,
                                                   .tasks = &x->tasks,
                                                   .stages = x->stages,
                                                   .has_diagonal =
                                                       (x->plan->flags & SPMMI_SPGEMM_DIAGONAL) != 0,
                                                   .kernel = o->force_kernel,
                                                   .host_left = left_of(o->host_budget_bytes, x->bytes),
                                                   .device_left = left_of(o->device_budget_bytes, 0),
                                                   .threads = x->threads,
                                                   .allocator = o->allocator};
    return spmmi_spgemm_gpu_create(&source, &x->gpu, in->diag);
}

spmm_status_t spmm_product_create(const spmm_plan_t *plan, int device,
                                  const spmm_product_executor_options_t *options, spmm_product_t **product,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct creation in = {.device = device, .kernel = KERNEL_AUTO, .diag = diag};
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(product != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the product is NULL");
    *product = NULL;
    SPMM_REQUIRE(plan != NULL && plan->product != NULL, SPMM_ERR_ARGUMENT, diag, "%s",
                 plan == NULL ? "the plan is NULL" : "the plan is of a matrix, not of a product");
    SPMM_TRY(options_read(&in, options));
    SPMM_TRY(spmmi_spgemm_require_work(plan->product, in.options.products_max, diag));
    SPMM_TRY_ALLOC(in.product = spmmi_alloc_zero(1, sizeof *in.product), diag);
    in.product->threads = spmmi_spgemm_threads(in.options.threads);
    in.product->device = in.device;
    SPMM_TRY(copy_plan(&in, plan));
    SPMM_TRY(make_stages(&in));
    if (in.device >= 0)
        SPMM_TRY(make_gpu(&in));
    *product = in.product;
    in.product = NULL;
cleanup:
    spmm_product_destroy(in.product);
    return status;
}

void spmm_product_destroy(spmm_product_t *x)
{
    if (x == NULL)
        return;
    spmmi_spgemm_gpu_free(x->gpu);
    for (int i = 0; i < SPMMI_SPGEMM_TASKS; i++)
        spmmi_spgemm_stage_free(&x->stages[i]);
    spmmi_spgemm_tasks_free(&x->tasks);
    spmmi_free(x->col_ind);
    spmmi_free(x->row_ptr);
    spmmi_spgemm_free(x->plan);
    spmmi_free(x);
}
