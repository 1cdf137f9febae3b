/* SPDX-License-Identifier: Apache-2.0 */
/* spmm_certify: computes the certificate of a product. */
#include <math.h>
#include <string.h>

#include "certifier.h"
#include "executor/parts.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/family.h"

#define KERNEL_NAME_BYTES 64

/* Returns the compute type of the kernel that runs this product; its name says whether
 * factors are rounded or split. */
static spmm_compute_t compute_of(const spmm_executor_t *executor, int variant,
                                 const struct spmmi_product *product)
{
    char name[KERNEL_NAME_BYTES];
    if (executor->cuda != NULL)
        spmmi_cuda_kernel(executor->cuda, variant, product, name, sizeof name);
    else
        spmmi_cpu_kernel(executor->cpu, variant, product, name, sizeof name);
    if (strstr(name, "/3xtf32") != NULL)
        return SPMM_COMPUTE_3XTF32;
    if (strstr(name, "/tf32") != NULL)
        return SPMM_COMPUTE_TF32;
    return (spmm_compute_t)product->a_type; /* the first four are the value types */
}

/* Fills the job, except for C0. */
static struct spmmi_certify_job job_of(const spmm_certifier_t *c, const struct spmmi_choice *choice,
                                       const struct spmmi_product *product)
{
    const spmm_executor_t *e = c->executor;
    const struct spmmi_loaded *part = spmmi_parts_for(
        e->cuda != NULL ? spmmi_cuda_parts(e->cuda) : spmmi_cpu_parts(e->cpu), choice->variant, product);
    struct spmmi_certify_job job = {.a = &c->a[product->op],
                                    .product = *product,
                                    .seed = c->options.seed,
                                    .vectors = product->b.cols > 1 ? c->options.vectors : 1,
                                    .threads = c->options.threads};
    job.product.compute = compute_of(e, choice->variant, product);
    job.is_tensor = e->cuda != NULL && spmmi_is_on_tensor_cores(part->part.family, job.product.compute);
    if ((part->part.flags & SPMMI_PART_PERMUTES_OUTPUT) != 0)
        job.permutation = c->plan->parts[part->index].items;
    return job;
}

/* Checks that B and C have the type of A: the checks read them as such. */
static spmm_status_t types_check(const spmm_executor_t *executor, const spmm_dense_t *b,
                                 const spmm_dense_t *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_dtype_t dtype = executor->shape.dtype;
    SPMM_REQUIRE(b->type == dtype && c->type == dtype, SPMM_ERR_UNSUPPORTED, diag,
                 "certificates are for B and C of the type of A, %s, found B %s and C %s",
                 spmm_dtype_name(dtype), spmm_dtype_name(b->type), spmm_dtype_name(c->type));
cleanup:
    return status;
}

/* Checks C0 by the same rules as C. Called only if beta is not 0. */
static spmm_status_t before_check(const spmm_executor_t *executor, spmm_op_t op, const spmm_dense_t *b,
                                  const spmm_dense_t *c0, bool reads_b, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_choice choice;
    SPMM_REQUIRE(c0 != NULL, SPMM_ERR_ARGUMENT, diag, "beta is not 0, but C before the product is NULL");
    SPMM_TRY(spmmi_product_check(executor, op, b, c0, &choice, diag));
    SPMM_TRY(types_check(executor, b, c0, diag));
    SPMM_TRY(spmmi_product_data_check(b, c0, reads_b, diag));
cleanup:
    return status;
}

static spmm_status_t job_make(const spmm_certifier_t *certifier, spmm_op_t op, spmm_scalar_t alpha,
                              const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c0,
                              const spmm_dense_t *c, struct spmmi_certify_job *job, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_choice choice;
    SPMM_REQUIRE(certifier != NULL, SPMM_ERR_ARGUMENT, diag, "the certifier is NULL");
    const spmm_executor_t *executor = certifier->executor;
    SPMM_TRY(spmmi_product_check(executor, op, b, c, &choice, diag));
    SPMM_TRY(types_check(executor, b, c, diag));
    struct spmmi_product product = spmmi_product_of(executor, &choice, op, b, c);
    SPMM_TRY(spmmi_factor_read(executor, "alpha", alpha, &product.alpha, diag));
    SPMM_TRY(spmmi_factor_read(executor, "beta", beta, &product.beta, diag));
    SPMM_REQUIRE(
        isfinite(product.alpha) && isfinite(product.beta), SPMM_ERR_ARGUMENT, diag,
        "alpha is %g and beta %g, which have to be finite in the type of sums, %s, for a certificate",
        alpha.re, beta.re, product.a_type == SPMM_F64 ? "f64" : "f32");
    SPMM_TRY(spmmi_product_data_check(b, c, product.alpha != 0, diag));
    if (product.beta != 0)
        SPMM_TRY(before_check(executor, op, b, c0, product.alpha != 0, diag));
    *job = job_of(certifier, &choice, &product);
    if (product.beta != 0)
        job->before = *c0;
cleanup:
    return status;
}

static spmm_status_t certificate_write(const spmm_certifier_t *certifier, const struct spmmi_certify_job *job,
                                       const struct spmmi_certify_findings *found,
                                       spmm_certificate_t *certificate, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_certificate_t full;
    memset(&full, 0, sizeof full);
    full.passed = found->failed == 0;
    full.vectors = job->vectors;
    full.seed = certifier->options.seed;
    full.miss_probability = job->product.b.cols > 1 ? ldexp(1, -job->vectors) : 0;
    full.error_ratio = found->ratio;
    full.rows = job->product.c.rows;
    full.rows_failed = found->failed;
    full.rows_by_class = found->by_class;
    full.first_row = found->first;
    SPMM_REQUIRE(spmmi_info_write(certificate, &full, sizeof full) == SPMM_OK, SPMM_ERR_ARGUMENT, diag,
                 "the certificate is NULL, or its struct_size was not initialised");
    SPMM_REQUIRE_AT(
        full.passed, SPMM_ERR_NOT_CERTIFIED, diag, (uint64_t)found->first,
        "row %lld of C is wrong: the largest error is %.3g times its bound; %lld of %lld rows are wrong",
        (long long)found->first, found->ratio, (long long)found->failed, (long long)full.rows);
cleanup:
    return status;
}

spmm_status_t spmm_certify(const spmm_certifier_t *certifier, spmm_op_t op, spmm_scalar_t alpha,
                           const spmm_dense_t *b, spmm_scalar_t beta, const spmm_dense_t *c0,
                           const spmm_dense_t *c, void *stream, spmm_certificate_t *certificate,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_certify_job job;
    struct spmmi_certify_findings found = {.first = -1};
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(certificate != NULL, SPMM_ERR_ARGUMENT, diag, "the pointer for the certificate is NULL");
    SPMM_TRY(job_make(certifier, op, alpha, b, beta, c0, c, &job, diag));
    if (c->rows > 0 && c->cols > 0 && certifier->executor->cuda != NULL)
        SPMM_TRY(spmmi_certify_cuda(certifier->device[op], &job, stream, &found, diag));
    else if (c->rows > 0 && c->cols > 0)
        SPMM_TRY(spmmi_certify_cpu(&job, &found, diag));
    SPMM_TRY(certificate_write(certifier, &job, &found, certificate, diag));
cleanup:
    return status;
}
