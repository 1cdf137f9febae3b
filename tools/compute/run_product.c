/* SPDX-License-Identifier: Apache-2.0 */
/* The product of spmm-run. */
#include "run_product.h"

#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "tools/cli/fail.h"
#include "gpu.h"

/* Values for a plan that holds none. */
static spmm_status_t set_values(struct run_product *product, const struct host_csr *matrix, spmm_diag_t *diag)
{
    struct host_csr ones = {.nnz = product->plan.nnz, .dtype = product->plan.a_type};
    const struct host_csr *from = matrix != NULL ? matrix : &ones;
    spmm_status_t status = SPMM_OK;

    if (matrix == NULL) {
        ones.values = malloc(((size_t)ones.nnz + 1) * sizeof *ones.values);
        for (int64_t p = 0; ones.values != NULL && p < ones.nnz; p++)
            ones.values[p] = 1.0;
    }
    product->values = from->values != NULL ? host_csr_typed_values(from) : NULL;
    if (product->values == NULL)
        status = fail_memory(diag, (uint64_t)from->nnz * sizeof(double), "the values");
    else
        status = spmm_executor_set_values(product->executor, product->values, NULL, diag);
    product->uses_ones = matrix == NULL;
    free(ones.values);
    return status;
}

/* A host matrix of this shape, not filled. */
static spmm_status_t host_dense(spmm_dense_t *dense, int64_t rows, spmm_dtype_t type,
                                const struct run_product *product, uint64_t *bytes, spmm_diag_t *diag)
{
    const struct run_request *r = &product->request;
    spmm_status_t status = SPMM_OK;
    *dense = (spmm_dense_t){NULL, rows, r->n, dense_ld(r->layout, rows, r->n), r->layout, type};
    TRY(dense_bytes(dense, bytes, diag));
    dense->data = malloc(*bytes + 1);
    if (dense->data == NULL)
        status = fail_memory(diag, *bytes, "B or C");
cleanup:
    return status;
}

static spmm_status_t make_dense(struct run_product *p, spmm_diag_t *diag)
{
    const struct run_request *r = &p->request;
    const int64_t b_rows = r->op == SPMM_OP_N ? p->plan.cols : p->plan.rows;
    const int64_t c_rows = r->op == SPMM_OP_N ? p->plan.rows : p->plan.cols;
    spmm_status_t status = SPMM_OK;
    uint64_t b_bytes = 0;
    uint64_t c_bytes = 0;

    TRY(host_dense(&p->b_host, b_rows, p->plan.b_type, p, &b_bytes, diag));
    TRY(host_dense(&p->c_host, c_rows, p->plan.c_type, p, &c_bytes, diag));
    if (r->b != NULL)
        memcpy(p->b_host.data, r->b->data, b_bytes);
    else
        dense_fill_random(&p->b_host, r->seed, b_rows);
    TRY(device_block_reserve(&p->b_block, r->device, b_bytes, diag));
    TRY(device_block_reserve(&p->c_block, r->device, c_bytes, diag));
    TRY(device_upload(&p->b_block, p->b_host.data, b_bytes, diag));
    TRY(device_fill(&p->c_block, 0xff, c_bytes, diag)); /* NaN: what is not written will show */
    if (r->beta != 0.0) {
        TRY(host_dense(&p->c_before, c_rows, p->plan.c_type, p, &c_bytes, diag));
        dense_fill_random(&p->c_before, r->seed + 1, c_rows);
        TRY(device_upload(&p->c_block, p->c_before.data, c_bytes, diag));
    }
    p->b = p->b_host;
    p->c = p->c_host;
    p->b.data = p->b_block.data;
    p->c.data = p->c_block.data;
cleanup:
    return status;
}

static spmm_status_t make_executor(const spmm_plan_t *plan, struct run_product *p, spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    options.threads = p->request.threads;
    options.force_kernel = p->request.force_kernel;
    options.host_budget_bytes = p->request.host_budget;
    if (p->request.device >= 0)
        TRY(gpu_require(p->request.device, diag));
    TRY(spmm_executor_create(plan, p->request.device, &options, &p->executor, diag));
    TRY(spmm_executor_info(p->executor, p->request.op, NULL, NULL, &p->info, diag));
    p->request.device = p->info.device; /* SPMM_DEVICE_AUTO is settled now */
    if (p->request.device >= 0)
        TRY(gpu_select(p->request.device, diag)); /* B and C belong to the same GPU */
cleanup:
    return status;
}

spmm_status_t run_product_create(const spmm_plan_t *plan, const struct host_csr *matrix,
                                 const struct run_request *request, struct run_product *product,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t workspace_bytes = 0;
    *product = (struct run_product){.request = *request};
    product->plan.struct_size = sizeof product->plan;
    product->info.struct_size = sizeof product->info;

    TRY(spmm_plan_info(plan, &product->plan));
    TRY(make_executor(plan, product, diag));
    if (!product->plan.has_values)
        TRY(set_values(product, matrix, diag));
    TRY(make_dense(product, diag));
    TRY(spmm_executor_workspace_bytes(product->executor, request->op, &product->b, &product->c,
                                      &workspace_bytes, NULL));
    TRY(device_block_reserve(&product->workspace, product->request.device, workspace_bytes, diag));
    TRY(spmm_executor_info(product->executor, request->op, &product->b, &product->c, &product->info, NULL));
cleanup:
    return status;
}

void run_product_destroy(struct run_product *product)
{
    free(product->values);
    free(product->c_before.data);
    free(product->c_host.data);
    free(product->b_host.data);
    device_block_free(&product->workspace);
    device_block_free(&product->c_block);
    device_block_free(&product->b_block);
    spmm_executor_destroy(product->executor);
    *product = (struct run_product){0};
}

static spmm_status_t multiply(void *context, spmm_diag_t *diag)
{
    struct run_product *p = context;
    const struct run_request *r = &p->request;
    const spmm_status_t status =
        spmm_execute(p->executor, r->op, spmm_real(r->alpha), &p->b, spmm_real(r->beta), &p->c,
                     p->workspace.data, p->workspace.bytes, NULL, NULL);
    return status == SPMM_OK ? SPMM_OK
                             : fail(diag, status, "the product failed: %s", spmm_status_text(status));
}

spmm_status_t run_product_once(struct run_product *product, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t c_bytes = 0;
    TRY(dense_bytes(&product->c_host, &c_bytes, diag));
    TRY(multiply(product, diag));
    TRY(device_synchronize(product->request.device, diag));
    TRY(device_download(product->c_host.data, &product->c_block, c_bytes, diag));
cleanup:
    return status;
}

spmm_status_t run_product_check(const struct run_product *product, const struct host_csr *a,
                                struct check_result *result, spmm_diag_t *diag)
{
    const struct run_request *r = &product->request;
    const spmm_dense_t *b = &product->b_host;
    spmm_status_t status = SPMM_OK;
    struct host_csr at = {0};
    double *values = malloc(((size_t)b->rows * (size_t)b->cols + 1) * sizeof *values);
    struct check_input input = {.a = a,
                                .b = values,
                                .n = r->n,
                                .alpha = r->alpha,
                                .beta = r->beta,
                                .c0 = &product->c_before,
                                .arithmetic = arithmetic_of_kernel(product->info.kernel, a->dtype)};
    if (values == NULL) {
        status =
            fail_memory(diag, (uint64_t)b->rows * (uint64_t)b->cols * sizeof *values, "B of the reference");
        goto cleanup;
    }
    dense_to_double(b, values);
    if (r->op == SPMM_OP_T) {
        TRY(host_csr_transpose(a, &at, diag));
        input.a = &at;
    }
    TRY(check_product(&input, &product->c_host, result, diag));
cleanup:
    host_csr_free(&at);
    free(values);
    return status;
}

spmm_status_t run_product_time(struct run_product *product, const struct timing_rule *rule,
                               struct timing *timing, spmm_diag_t *diag)
{
    struct stopwatch *watch = NULL;
    spmm_status_t status = SPMM_OK;
    TRY(stopwatch_create(product->request.device, &watch, diag));
    TRY(stopwatch_measure(watch, multiply, product, rule, timing, diag));
cleanup:
    stopwatch_destroy(watch);
    return status;
}
