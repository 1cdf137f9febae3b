/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions that describe and verify the plan of a product of sparse matrices. */
#include <spmm/product.h>
#include <string.h>

#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/spgemm/spgemm_tasks.h"
#include "plan.h"

spmm_status_t spmm_plan_product(const spmm_plan_t *plan, spmm_product_plan_info_t *info)
{
    if (plan == NULL)
        return SPMM_ERR_ARGUMENT;
    spmm_product_plan_info_t full;
    memset(&full, 0, sizeof full);
    const struct spmmi_spgemm *g = plan->product;
    if (g != NULL) {
        full.factor_count = (int)g->factor_count;
        full.operand_count = (int)g->operand_count;
        for (uint32_t f = 0; f < SPMMI_SPGEMM_FACTORS; f++) {
            full.factor_operand[f] = (int)g->factor_operand[f];
            full.factor_op[f] = (spmm_op_t)g->factor_op[f];
        }
        full.lower = (g->flags & SPMMI_SPGEMM_LOWER) != 0;
        full.diagonal = (g->flags & SPMMI_SPGEMM_DIAGONAL) != 0;
        full.piece_products =
            g->piece_products == 0 || g->piece_products > INT64_MAX ? INT64_MAX : (int64_t)g->piece_products;
        full.products = g->products[0];
        full.inner_products = g->products[1];
        full.inner_nnz = g->factor_count == SPMMI_SPGEMM_FACTORS ? g->matrices[g->operand_count].nnz : 0;
    }
    return spmmi_info_write(info, &full, sizeof full);
}

static const struct spmmi_spgemm_matrix *find(const spmm_plan_t *plan, int operand)
{
    if (plan == NULL || plan->product == NULL || operand < 0 ||
        (uint32_t)operand >= spmmi_spgemm_matrices(plan->product))
        return NULL;
    return &plan->product->matrices[operand];
}

spmm_status_t spmm_plan_operand(const spmm_plan_t *plan, int operand, spmm_csr_t *view, uint8_t *digest)
{
    const struct spmmi_spgemm_matrix *m = find(plan, operand);
    if (m == NULL || view == NULL)
        return SPMM_ERR_ARGUMENT;
    *view =
        (spmm_csr_t){m->rows, m->cols, m->nnz, SPMM_I64, SPMM_I32, m->row_ptr, m->col_ind, plan->dtype, NULL};
    if (digest != NULL)
        memcpy(digest, m->digest, sizeof m->digest);
    return SPMM_OK;
}

/* Wraps the operand in a plan without values and compares it as spmm_plan_matches does. */
spmm_status_t spmm_plan_operand_matches(const spmm_plan_t *plan, int operand, const spmm_csr_t *a,
                                        spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_matrix *m = find(plan, operand);
    spmmi_diag_clear(diag);
    SPMM_REQUIRE(m != NULL && a != NULL, SPMM_ERR_ARGUMENT, diag,
                 "the matrix is NULL, or the plan has no operand %d", operand);
    const struct spmm_plan as_plan = {
        .rows = m->rows, .cols = m->cols, .nnz = m->nnz, .row_ptr = m->row_ptr, .col_ind = m->col_ind};
    SPMM_TRY(spmm_plan_matches(&as_plan, a, 0, diag));
cleanup:
    return status;
}

spmm_status_t spmm_plan_product_verify(const spmm_plan_t *plan, const spmm_product_verify_options_t *given,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_product_verify_options_t o = SPMM_PRODUCT_VERIFY_OPTIONS_INIT;
    struct spmmi_spgemm_tasks tasks = {.count = 0};
    spmmi_diag_clear(diag);
    SPMM_TRY(spmmi_options_read(&o, sizeof o, given, "product verify options", diag));
    SPMM_REQUIRE(
        plan != NULL && plan->product != NULL && o.threads >= 0, SPMM_ERR_ARGUMENT, diag,
        "expected the plan of a sparse product and 0 threads or more, found %d threads, or another plan",
        o.threads);
    const struct spmmi_csr_pattern c = {plan->rows, plan->cols, plan->row_ptr, plan->col_ind};
    const int team = spmmi_spgemm_threads(o.threads);
    const uint64_t bytes = spmmi_spgemm_tasks_bytes(plan->product, plan->nnz);
    SPMM_TRY(spmmi_spgemm_require_work(plan->product, o.products_max, diag));
    SPMM_TRY(spmmi_spgemm_require_bytes(0, bytes, o.budget_bytes, diag));
    SPMM_TRY(spmmi_spgemm_tasks_make(plan->product, &c, team, &tasks, diag));
    SPMM_TRY(spmmi_spgemm_require_bytes(bytes, spmmi_spgemm_proof_bytes(&tasks, team), o.budget_bytes, diag));
    SPMM_TRY(spmmi_spgemm_prove(&tasks, team, diag));
cleanup:
    spmmi_spgemm_tasks_free(&tasks);
    return status;
}
