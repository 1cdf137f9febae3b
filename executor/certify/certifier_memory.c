/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of certifiers and of their checks, counted before they are made. */
#include "certifier.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

/* Returns the bytes of the transpose of A in a certifier; transposing_bytes: the
 * temporary bytes of making it. */
static uint64_t transpose_bytes(const struct spmm_plan *shape)
{
    const uint64_t nnz = (uint64_t)shape->nnz;
    return spmmi_alloc_bytes((uint64_t)shape->cols + 1, sizeof(int64_t)) +
           spmmi_alloc_bytes(nnz, sizeof(int32_t)) + spmmi_alloc_bytes(nnz, spmm_dtype_size(shape->dtype));
}

static uint64_t transposing_bytes(const struct spmm_plan *shape)
{
    return spmmi_alloc_bytes((uint64_t)shape->cols + 1, sizeof(int64_t)) +
           spmmi_alloc_bytes((uint64_t)shape->nnz, sizeof(int64_t));
}

static int has_op(const struct spmm_plan *shape, spmm_op_t op)
{
    for (uint32_t i = 0; i < shape->variant_count; i++)
        if (shape->variants[i].op == op)
            return 1;
    return 0;
}

/* A product without elements is not checked. */
static int is_empty(const struct spmmi_product *product)
{
    return product->c.rows == 0 || product->c.cols == 0;
}

/* Returns the memory of a check in addition to the certifier and the transpose; on a GPU the small host
 * structs that describe each op(A) there. */
static uint64_t checking_bytes(const spmm_executor_t *executor, const struct spmmi_certify_job *job)
{
    if (executor->cuda != NULL)
        return (uint64_t)(has_op(&executor->shape, SPMM_OP_N) + has_op(&executor->shape, SPMM_OP_T)) *
               spmmi_alloc_bytes(1, sizeof(struct spmmi_certify_device));
    return is_empty(&job->product) ? 0 : spmmi_certify_cpu_bytes(job);
}

/* Returns the bytes of the plan's values rounded to the executor's type; 0 if they have the same type. */
static uint64_t rounded_bytes(const spmm_executor_t *executor)
{
    const struct spmm_plan *shape = &executor->shape;
    return executor->plan_type == shape->dtype
               ? 0
               : spmmi_alloc_bytes((uint64_t)shape->nnz, spmm_dtype_size(shape->dtype));
}

static uint64_t host_bytes_of(const spmm_executor_t *executor, const struct spmmi_certify_job *job)
{
    const struct spmm_plan *shape = &executor->shape;
    const uint64_t own = spmmi_alloc_bytes(1, sizeof(spmm_certifier_t)) + rounded_bytes(executor);
    const uint64_t then = checking_bytes(executor, job);
    if (!has_op(shape, SPMM_OP_T))
        return own + then;
    const uint64_t making = transposing_bytes(shape);
    return own + transpose_bytes(shape) + (making > then ? making : then);
}

static uint64_t device_bytes_of(const struct spmm_plan *shape, const struct spmmi_certify_job *job)
{
    const struct spmmi_certify_csr a[SPMMI_OPS] = {
        [SPMM_OP_N] = {.rows = shape->rows, .cols = shape->cols, .nnz = shape->nnz},
        [SPMM_OP_T] = {.rows = shape->cols, .cols = shape->rows, .nnz = shape->nnz}};
    uint64_t bytes = is_empty(&job->product) ? 0 : spmmi_certify_cuda_bytes(job);
    for (int op = 0; op < SPMMI_OPS; op++)
        if (has_op(shape, (spmm_op_t)op))
            bytes += spmmi_certify_cuda_upload_bytes(&a[op], shape->dtype);
    return bytes;
}

spmm_status_t spmm_certifier_memory_bytes(const spmm_executor_t *executor,
                                          const spmm_certifier_options_t *options, spmm_op_t op,
                                          const spmm_dense_t *b, const spmm_dense_t *c, uint64_t *host_bytes,
                                          uint64_t *device_bytes, spmm_diag_t *diag)
{
    static const uint32_t some_permutation = 0;
    spmm_status_t status = SPMM_OK;
    spmm_certifier_options_t settled;
    struct spmmi_choice choice;
    uint64_t host = 0, device = 0;
    SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
    SPMM_TRY(spmmi_certifier_options(options, &settled, diag));
    const struct spmmi_certify_csr a = {.rows = c->rows, .cols = b->rows, .nnz = executor->shape.nnz};
    struct spmmi_certify_job job = {.a = &a,
                                    .permutation = &some_permutation,
                                    .product = spmmi_product_of(executor, &choice, op, b, c),
                                    .vectors = b->cols > 1 ? settled.vectors : 1,
                                    .threads = settled.threads};
    job.product.alpha = job.product.beta = 1;
    host = host_bytes_of(executor, &job);
    device = executor->cuda != NULL ? device_bytes_of(&executor->shape, &job) : 0;
cleanup:
    if (host_bytes != NULL)
        *host_bytes = host;
    if (device_bytes != NULL)
        *device_bytes = device;
    return status;
}
