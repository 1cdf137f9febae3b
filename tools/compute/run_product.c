/* SPDX-License-Identifier: Apache-2.0 */
/* See run_product.h. */
#include "run_product.h"

#include <stdlib.h>
#include <string.h>

#include "dense_matrix.h"
#include "gpu.h"
#include "memory_needs.h"
#include "tools/cli/fail.h"
#include "tools/cli/machine_memory.h"

/* Sets the values of a plan that has none. */
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

/* Describes a matrix of this shape, without data, and computes its bytes. */
static spmm_status_t shape(spmm_dense_t *dense, int64_t rows, spmm_dtype_t type, const struct run_request *r,
                           uint64_t *bytes, spmm_diag_t *diag)
{
    *dense = (spmm_dense_t){NULL, rows, r->n, dense_ld(r->layout, rows, r->n), r->layout, type};
    return dense_bytes(dense, bytes, diag);
}

/* Sets the host memory of a matrix on the device. On the CPU it is the block itself. */
static spmm_status_t host_reserve(spmm_dense_t *dense, const struct device_block *block, uint64_t bytes,
                                  spmm_diag_t *diag)
{
    dense->data = block->device >= 0 ? malloc(bytes + 1) : block->data;
    return dense->data != NULL ? SPMM_OK : fail_memory(diag, bytes, "B or C");
}

static void host_free(const spmm_dense_t *dense, const struct device_block *block)
{
    if (dense->data != block->data)
        free(dense->data);
}

/* Adds the memory that run_product_certify needs. On the CPU it makes another copy of C before the
 * product. */
static spmm_status_t add_certificate(const struct run_product *p, uint64_t c_bytes,
                                     struct memory_needs *needs, spmm_diag_t *diag)
{
    const struct run_request *r = &p->request;
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    options.vectors = r->vectors;
    options.threads = r->threads;
    TRY(spmm_certifier_memory_bytes(p->executor, &options, r->op, &p->b_host, &p->c_host, &bytes, NULL,
                                    diag));
    memory_needs_add(needs, "certificate", bytes + (r->device < 0 && r->beta != 0.0 ? c_bytes : 0));
cleanup:
    return status;
}

/* Computes the shapes and bytes of B, C and the workspace, and checks that the host memory is sufficient. */
static spmm_status_t plan_memory(struct run_product *p, uint64_t *b_bytes, uint64_t *c_bytes,
                                 uint64_t *workspace_bytes, spmm_diag_t *diag)
{
    const struct run_request *r = &p->request;
    const int64_t b_rows = r->op == SPMM_OP_N ? p->plan.cols : p->plan.rows;
    const int64_t c_rows = r->op == SPMM_OP_N ? p->plan.rows : p->plan.cols;
    spmm_status_t status = SPMM_OK;
    struct memory_needs needs = {.count = 0};
    TRY(shape(&p->b_host, b_rows, p->plan.b_type, r, b_bytes, diag));
    TRY(shape(&p->c_host, c_rows, p->plan.c_type, r, c_bytes, diag));
    TRY(spmm_executor_workspace_bytes(p->executor, r->op, &p->b_host, &p->c_host, workspace_bytes, diag));
    memory_needs_add(&needs, "B", *b_bytes);
    memory_needs_add(&needs, "C", *c_bytes);
    if (r->beta != 0.0)
        memory_needs_add(&needs, "C before", *c_bytes);
    if (r->device < 0)
        memory_needs_add(&needs, "workspace", *workspace_bytes);
    if (r->is_checked)
        memory_needs_add(&needs, "check", check_product_bytes(b_rows, r->n));
    if (r->is_certified)
        TRY(add_certificate(p, *c_bytes, &needs, diag));
    status = memory_needs_require(&needs, r->n, r->budget, diag);
cleanup:
    return status;
}

static spmm_status_t make_dense(struct run_product *p, spmm_diag_t *diag)
{
    const struct run_request *r = &p->request;
    spmm_status_t status = SPMM_OK;
    uint64_t b_bytes = 0, c_bytes = 0, workspace_bytes = 0;

    TRY(plan_memory(p, &b_bytes, &c_bytes, &workspace_bytes, diag));
    TRY(device_block_reserve(&p->b_block, r->device, b_bytes, diag));
    TRY(device_block_reserve(&p->c_block, r->device, c_bytes, diag));
    TRY(device_block_reserve(&p->workspace, r->device, workspace_bytes, diag));
    TRY(host_reserve(&p->b_host, &p->b_block, b_bytes, diag));
    TRY(host_reserve(&p->c_host, &p->c_block, c_bytes, diag));
    if (r->b != NULL)
        memcpy(p->b_host.data, r->b->data, b_bytes);
    else
        dense_fill_random(&p->b_host, r->seed, p->b_host.rows);
    TRY(device_upload(&p->b_block, p->b_host.data, b_bytes, diag));
    TRY(device_fill(&p->c_block, 0xff, c_bytes, diag)); /* NaN makes elements that no kernel writes visible */
    if (r->beta != 0.0) {
        p->c_before = p->c_host;
        p->c_before.data = malloc(c_bytes + 1);
        if (p->c_before.data == NULL)
            return fail_memory(diag, c_bytes, "C before the product");
        dense_fill_random(&p->c_before, r->seed + 1, p->c_before.rows);
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
    options.a_type = p->request.a_type;
    options.unit_values = p->request.has_unit_values;
    options.jit = p->request.jit;
    options.host_budget_bytes = machine_memory_budget(p->request.budget);
    if (p->request.b_type == 0 && p->request.c_type == 0) { /* other types may need the part for another n */
        options.n_min = options.n_max = p->request.n;
        options.ops = 1u << p->request.op;
        options.layouts = 1u << p->request.layout;
    }
    if (p->request.device >= 0)
        TRY(gpu_require(p->request.device, diag));
    TRY(spmm_executor_create(plan, p->request.device, &options, &p->executor, diag));
    TRY(spmm_executor_info(p->executor, p->request.op, NULL, NULL, &p->info, diag));
    p->request.device = p->info.device; /* the device that was chosen for SPMM_DEVICE_AUTO */
    if (p->request.device >= 0)
        TRY(gpu_select(p->request.device, diag)); /* B and C are on the same GPU as the executor */
cleanup:
    return status;
}

spmm_status_t run_product_create(const spmm_plan_t *plan, const struct host_csr *matrix,
                                 const struct run_request *request, struct run_product *product,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *product = (struct run_product){.request = *request};
    product->plan.struct_size = sizeof product->plan;
    product->info.struct_size = sizeof product->info;

    TRY(spmm_plan_info(plan, &product->plan));
    if (request->a_type != 0)
        product->plan.a_type = product->plan.b_type = product->plan.c_type = request->a_type;
    if (request->b_type != 0)
        product->plan.b_type = request->b_type;
    if (request->c_type != 0)
        product->plan.c_type = request->c_type;
    TRY(make_executor(plan, product, diag));
    product->uses_ones = request->has_unit_values;
    if (!product->plan.has_values && !request->has_unit_values)
        TRY(set_values(product, matrix, diag));
    TRY(make_dense(product, diag));
    if (request->jit != SPMM_JIT_AUTO) {
        product->prepared.struct_size = sizeof product->prepared;
        TRY(spmm_executor_prepare(product->executor, request->op, &product->b, &product->c, 0,
                                  &product->prepared, diag));
    }
    TRY(spmm_executor_info(product->executor, request->op, &product->b, &product->c, &product->info, NULL));
cleanup:
    return status;
}

void run_product_destroy(struct run_product *product)
{
    free(product->values);
    free(product->c_before.data);
    host_free(&product->c_host, &product->c_block);
    host_free(&product->b_host, &product->b_block);
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

static spmm_status_t compare(const struct run_product *product, const struct host_csr *a,
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

spmm_status_t run_product_check(const struct run_product *product, const struct host_csr *a,
                                const uint32_t *order, struct check_result *result, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct host_csr permuted = {0};
    if (order != NULL)
        TRY(host_csr_permute(a, order, &permuted, diag));
    TRY(compare(product, order != NULL ? &permuted : a, result, diag));
cleanup:
    host_csr_free(&permuted);
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
