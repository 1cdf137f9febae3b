/* SPDX-License-Identifier: Apache-2.0 */
/* See run_certify.h. */
#include "run_certify.h"

#include "dense_matrix.h"
#include "tools/cli/fail.h"
#include "tools/cli/progress.h"

/* Copies C before the product to the executor's device. before->data stays NULL if beta is 0. */
static spmm_status_t upload_before(const struct run_product *p, struct device_block *block,
                                   spmm_dense_t *before, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t bytes = 0;
    *before = p->c_before;
    if (p->c_before.data == NULL)
        return SPMM_OK;
    TRY(dense_bytes(before, &bytes, diag));
    TRY(device_block_reserve(block, p->request.device, bytes, diag));
    TRY(device_upload(block, p->c_before.data, bytes, diag));
    before->data = block->data;
cleanup:
    return status;
}

static spmm_status_t certify(const struct run_product *p, const spmm_certifier_t *certifier,
                             const spmm_dense_t *before, spmm_certificate_t *found, spmm_diag_t *diag)
{
    const struct run_request *r = &p->request;
    const spmm_status_t status = spmm_certify(certifier, r->op, spmm_real(r->alpha), &p->b,
                                              spmm_real(r->beta), before, &p->c, NULL, found, diag);
    return status == SPMM_ERR_NOT_CERTIFIED ? SPMM_OK : status;
}

spmm_status_t run_product_certify(const struct run_product *p, const spmm_plan_t *plan, uint64_t seed,
                                  int is_timed, struct run_certificate *certificate, spmm_diag_t *diag)
{
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    spmm_certifier_t *certifier = NULL;
    struct device_block block = {0};
    spmm_dense_t before;
    options.values = p->values;
    options.seed = seed;
    options.vectors = p->request.vectors;
    options.threads = p->request.threads;
    *certificate = (struct run_certificate){.found = {.struct_size = sizeof certificate->found}};
    TRY(upload_before(p, &block, &before, diag));
    TRY(spmm_certifier_create(plan, p->executor, &options, &certifier, diag));
    TRY(certify(p, certifier, &before, &certificate->found, diag));
    if (is_timed) {
        const double start = progress_seconds();
        TRY(certify(p, certifier, &before, &certificate->found, diag));
        certificate->ms = 1e3 * (progress_seconds() - start);
    }
cleanup:
    spmm_certifier_destroy(certifier);
    device_block_free(&block);
    return status;
}
