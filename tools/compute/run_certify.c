/* SPDX-License-Identifier: Apache-2.0 */
/* See run_certify.h. */
#include "run_certify.h"

#include <time.h>

#include "dense_matrix.h"
#include "tools/cli/fail.h"

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* C before the product where the executor runs, if it was read. */
static spmm_status_t upload_before(const struct run_product *p, struct device_block *block, spmm_dense_t *before,
                                   spmm_diag_t *diag)
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

spmm_status_t run_product_certify(const struct run_product *p, const spmm_plan_t *plan, int vectors, uint64_t seed,
                                  struct run_certificate *certificate, spmm_diag_t *diag)
{
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_status_t status = SPMM_OK;
    spmm_certifier_t *certifier = NULL;
    struct device_block block = {0};
    spmm_dense_t before;
    options.values = p->values;
    options.seed = seed;
    options.vectors = vectors;
    options.threads = p->request.threads;
    certificate->found.struct_size = sizeof certificate->found;
    TRY(upload_before(p, &block, &before, diag));
    TRY(spmm_certifier_create(plan, p->executor, &options, &certifier, diag));
    const double start = now_ms();
    status = spmm_certify(certifier, p->request.op, spmm_real(p->request.alpha), &p->b, spmm_real(p->request.beta),
                          &before, &p->c, NULL, &certificate->found, diag);
    certificate->ms = now_ms() - start;
    if (status == SPMM_ERR_NOT_CERTIFIED)
        status = SPMM_OK;
cleanup:
    spmm_certifier_destroy(certifier);
    device_block_free(&block);
    return status;
}
