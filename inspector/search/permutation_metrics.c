/* SPDX-License-Identifier: Apache-2.0 */
/* See permutation_metrics.h. A permutation of units can equal that of the rows; it is counted once. All
 * permutations of one device fit into a plan; permutations of further devices are dropped when the list of
 * the plan is full. */
#include "permutation_metrics.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/reorder/row_metrics.h"

/* Rows or segments of rows, and a permutation of them. permutation NULL: the order of A. */
struct subject {
    const struct spmmi_pattern *a;
    int threads;
    uint64_t units;
    const int64_t *unit_ptr;
    spmm_reorder_t kind;
    const uint32_t *permutation;
};

static bool has_been_counted(const struct subject *s, const spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->permutation_metrics_count; i++) {
        const spmm_permutation_metrics_t *f = &plan->permutation_metrics[i];
        if (f->op == s->a->op && f->kind == s->kind && f->units == (int64_t)s->units)
            return true;
    }
    return false;
}

static spmm_status_t add(const struct subject *s, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_permutation_metrics_t *f = NULL;
    if (has_been_counted(s, plan) || plan->permutation_metrics_count == SPMMI_PERMUTATION_METRICS_MAX)
        goto cleanup;
    f = &plan->permutation_metrics[plan->permutation_metrics_count];
    f->op = s->a->op;
    f->kind = s->kind;
    f->units = (int64_t)s->units;
    status = spmmi_row_metrics_count((int64_t)s->units, s->a->cols, s->unit_ptr, s->a->col_ind,
                                     s->permutation, s->threads, f);
    SPMM_REQUIRE(status == SPMM_OK, status, diag,
                 "out of memory for the metrics of a permutation of the rows");
    plan->permutation_metrics_count++;
cleanup:
    return status;
}

/* Adds the metrics of the order of A, then those of the permutation s. */
static spmm_status_t add_both(struct subject s, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct subject natural = s;
    natural.kind = SPMM_REORDER_NONE;
    natural.permutation = NULL;
    if (plan->permutation_metrics == NULL) {
        plan->permutation_metrics =
            spmmi_alloc_zero(SPMMI_PERMUTATION_METRICS_MAX, sizeof *plan->permutation_metrics);
        SPMM_TRY_ALLOC(plan->permutation_metrics, diag);
    }
    SPMM_TRY(add(&natural, plan, diag));
    SPMM_TRY(add(&s, plan, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_permutation_metrics_add(const struct spmmi_op *op, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = op->pattern;
    const int threads = op->request->threads;
    struct subject s = {.a = a, .threads = threads, .units = (uint64_t)a->rows, .unit_ptr = a->row_ptr};
    for (int i = 0; i < op->permutations.count; i++) {
        s.kind = op->permutations.list[i].kind;
        s.permutation = op->permutations.list[i].permutation;
        if (s.permutation != NULL)
            SPMM_TRY(add_both(s, plan, diag));
    }
    for (int i = 0; i < op->unit_permutation_count; i++) {
        const struct spmmi_unit_permutation *const o = &op->unit_permutations[i];
        s = (struct subject){a, threads, o->units, o->unit_ptr, o->kind, o->permutation};
        SPMM_TRY(add_both(s, plan, diag));
    }
cleanup:
    return status;
}
