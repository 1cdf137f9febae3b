/* SPDX-License-Identifier: Apache-2.0 */
/* See tune_device.h. */
#include "tune_device.h"

#include <stdlib.h>

#include "tools/cli/fail.h"
#include "tools/cli/machine_memory.h"
#include "tools/cli/number.h"
#include "tools/compute/dense_matrix.h"
#include "tools/compute/gpu.h"
#include "tools/compute/product_call.h"

#define SEED 20u
#define SLACK_BYTES ((uint64_t)64 << 20) /* GPU memory that is left free for the CUDA runtime */

/* A ranking needs few repeats: the median of 7 distinguishes candidates that differ by a few percent. */
static const struct timing_rule rule = {
    .repeats = 7, .repeats_slow = 3, .repeats_min = 1, .slow_ms = 3.0, .max_seconds = 1.0, .is_cold_only = 1};

spmm_status_t tune_device_open(int device, int threads, struct tune_device *place, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *place = (struct tune_device){.device = device, .threads = threads};
    if (device >= 0)
        TRY(gpu_select(device, diag));
    TRY(stopwatch_create(device, &place->watch, diag));
cleanup:
    return status;
}

void tune_device_close(struct tune_device *place)
{
    staging_block_free(&place->staging);
    device_block_free(&place->workspace);
    device_block_free(&place->c_block);
    device_block_free(&place->b_block);
    stopwatch_destroy(place->watch);
    *place = (struct tune_device){0};
}

static spmm_status_t fill_b(struct tune_device *place, uint64_t bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_dense_t staged = place->b;
    if (place->device >= 0) {
        TRY(staging_block_reserve(&place->staging, place->device, bytes, diag));
        staged.data = place->staging.data;
    }
    dense_fill_random(&staged, SEED, staged.rows);
    if (place->device >= 0)
        TRY(device_upload(&place->b_block, staged.data, bytes, diag));
cleanup:
    return status;
}

static int is_alike(const spmm_dense_t *a, const spmm_dense_t *b)
{
    return a->data != NULL && a->rows == b->rows && a->cols == b->cols && a->layout == b->layout &&
           a->type == b->type;
}

/* Allocates B and C of the product, unless they equal those of the previous product. */
static spmm_status_t lay_out(struct tune_device *place, const spmm_dense_t *b, const spmm_dense_t *c,
                             spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t b_bytes = 0;
    uint64_t c_bytes = 0;
    const uint64_t budget = machine_memory_budget(0); /* because the system overcommits memory */
    if (is_alike(&place->b, b) && is_alike(&place->c, c))
        goto cleanup;
    place->b.data = NULL;
    TRY(dense_bytes(b, &b_bytes, diag));
    TRY(dense_bytes(c, &c_bytes, diag));
    if (b_bytes > budget || c_bytes > budget - b_bytes) {
        status = fail_memory(diag, b_bytes + c_bytes, "B and C to time candidates with");
        goto cleanup;
    }
    TRY(device_block_reserve(&place->b_block, place->device, b_bytes, diag));
    TRY(device_block_reserve(&place->c_block, place->device, c_bytes, diag));
    TRY(device_fill(&place->c_block, 0, c_bytes, diag)); /* so that its pages exist */
    place->b = *b;
    place->c = *c;
    place->b.data = place->b_block.data;
    place->c.data = place->c_block.data;
    status = fill_b(place, b_bytes, diag);
    if (status != SPMM_OK)
        place->b.data = NULL;
cleanup:
    return status;
}

static spmm_status_t make_operands(struct tune_device *place, const spmm_plan_info_t *info,
                                   const struct tune_product *p, spmm_diag_t *diag)
{
    const int64_t b_rows = p->op == SPMM_OP_T ? info->rows : info->cols;
    const int64_t c_rows = p->op == SPMM_OP_T ? info->cols : info->rows;
    const spmm_dense_t b = {NULL, b_rows, p->n, dense_ld(p->layout, b_rows, p->n), p->layout, info->b_type};
    const spmm_dense_t c = {NULL, c_rows, p->n, dense_ld(p->layout, c_rows, p->n), p->layout, info->c_type};
    return lay_out(place, &b, &c, diag);
}

/* Turns a lack of memory into UNSUPPORTED: the candidate needs too much, and the search continues without
 * it. */
static spmm_status_t refuse_memory(spmm_status_t status, spmm_diag_t *diag)
{
    if (status != SPMM_ERR_MEMORY && status != SPMM_ERR_DEVICE_MEMORY)
        return status;
    return fail(diag, SPMM_ERR_UNSUPPORTED, "the executor of a candidate does not fit into memory");
}

static spmm_status_t check_memory(const struct tune_device *place, const spmm_plan_t *plan,
                                  const spmm_executor_options_t *options, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t host = 0;
    uint64_t device = 0;
    uint64_t available = 0;
    const uint64_t budget = machine_memory_budget(0);
    const uint64_t held = place->device >= 0 ? 0 : place->b_block.bytes + place->c_block.bytes;
    TRY(spmm_executor_memory_bytes(plan, place->device, options, &host, &device, diag));
    if (place->device >= 0)
        TRY(gpu_memory_free(&available, diag));
    const int is_short =
        place->device >= 0 && device > available - (available < SLACK_BYTES ? available : SLACK_BYTES);
    if (is_short || host > budget - (held < budget ? held : budget))
        status = refuse_memory(SPMM_ERR_MEMORY, diag);
cleanup:
    return status;
}

/* Sets all values to 1, for a plan without values. */
static spmm_status_t set_ones(spmm_executor_t *executor, const spmm_plan_info_t *info, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const size_t size = spmm_dtype_size(info->a_type);
    void *ones = malloc(((size_t)info->nnz + 1) * size);
    if (ones == NULL)
        return fail_memory(diag, (uint64_t)info->nnz * size, "values to time candidates with");
    for (int64_t p = 0; p < info->nnz; p++)
        value_set(info->a_type, ones, p, 1.0);
    status = spmm_executor_set_values(executor, ones, NULL, diag);
    free(ones);
    return status;
}

/* Makes an executor that runs the candidate itself. A fallback is refused, because its time would be of
 * another kernel. */
static spmm_status_t make_executor(const struct tune_device *place, const spmm_plan_t *plan, spmm_op_t op,
                                   spmm_executor_t **executor, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    options.threads = place->threads;
    TRY(check_memory(place, plan, &options, diag));
    TRY(refuse_memory(spmm_executor_create(plan, place->device, &options, executor, diag), diag));
    TRY(spmm_executor_info(*executor, op, &place->b, &place->c, &info, NULL));
    if (info.fallback)
        status = fail(diag, SPMM_ERR_UNSUPPORTED, "%s", info.note);
cleanup:
    return status;
}

spmm_status_t tune_device_time(struct tune_device *place, const spmm_plan_t *plan,
                               const struct tune_product *product, double *us, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_plan_info_t info = {.struct_size = sizeof info};
    struct timing timing = {0};
    struct product_call call = {NULL, product->op, &place->b, &place->c, &place->workspace};
    TRY(spmm_plan_info(plan, &info));
    TRY(make_operands(place, &info, product, diag));
    TRY(make_executor(place, plan, product->op, &call.executor, diag));
    if (!info.has_values)
        TRY(set_ones(call.executor, &info, diag));
    TRY(refuse_memory(product_call_reserve(&call, &place->workspace, place->device, diag), diag));
    TRY(stopwatch_measure(place->watch, product_call_run, &call, &rule, &timing, diag));
    *us = 1e3 * timing.ms_cold;
cleanup:
    spmm_executor_destroy(call.executor);
    return status;
}
