/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an execution, dispatched to the CPU or the GPU of the product. */
#include "executor/settle.h"
#include "format/base/diag.h"
#include "product_state.h"

spmm_status_t spmmi_product_device(int *device, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_TRY(spmmi_device_check(*device, diag));
    if (*device == SPMM_DEVICE_AUTO)
        *device = SPMM_DEVICE_CPU;
cleanup:
    return status;
}

spmm_status_t spmmi_product_run(const spmm_product_t *x, int stage, const struct spmmi_spgemm_values *values,
                                void *stream, spmm_diag_t *diag)
{
    if (x->gpu != NULL)
        return spmmi_spgemm_gpu_run(x->gpu, stage, values, stream, diag);
    spmmi_spgemm_run(&x->stages[stage], x->dtype, values, x->threads);
    return SPMM_OK;
}

spmm_status_t spmmi_product_gather(const spmm_product_t *x, uint32_t factor, const void *from, void *to,
                                   void *stream, spmm_diag_t *diag)
{
    if (x->gpu != NULL)
        return spmmi_spgemm_gpu_gather(x->gpu, factor, from, to, stream, diag);
    spmmi_spgemm_gather(x->dtype, x->plan->matrices[x->plan->factor_operand[factor]].nnz,
                        x->tasks.factors[factor].map, from, to, x->threads);
    return SPMM_OK;
}

spmm_status_t spmmi_product_scale(const spmm_product_t *x, double beta, void *c, void *stream,
                                  spmm_diag_t *diag)
{
    if (x->gpu != NULL)
        return spmmi_spgemm_gpu_scale(x->gpu, x->nnz, beta, c, stream, diag);
    spmmi_spgemm_scale(x->dtype, x->nnz, beta, c);
    return SPMM_OK;
}
