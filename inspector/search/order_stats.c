/* SPDX-License-Identifier: Apache-2.0 */
/* See order_stats.h. An order of units may be that of the rows: it is counted once. */
#include "order_stats.h"

#include <assert.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/reorder/row_figures.h"

/* Rows, or segments of rows, and an order of them; NULL: as they are. */
struct subject {
    const struct spmmi_pattern *a;
    int threads;
    uint64_t units;
    const int64_t *unit_ptr;
    spmm_reorder_t kind;
    const uint32_t *order;
};

static bool has_been_counted(const struct subject *s, const spmm_plan_t *plan)
{
    for (uint32_t i = 0; i < plan->order_stats_count; i++) {
        const spmm_order_stats_t *f = &plan->order_stats[i];
        if (f->op == s->a->op && f->order == s->kind && f->units == (int64_t)s->units)
            return true;
    }
    return false;
}

static spmm_status_t add(const struct subject *s, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_order_figures_t figures = {.struct_size = sizeof figures};
    if (has_been_counted(s, plan))
        goto cleanup;
    assert(plan->order_stats_count < SPMMI_ORDER_STATS_MAX);
    status = spmmi_row_figures_count((int64_t)s->units, s->a->cols, s->unit_ptr, s->a->col_ind, s->order,
                                     s->threads, &figures);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of an order of the rows");
    spmm_order_stats_t *const f = &plan->order_stats[plan->order_stats_count++];
    *f = (spmm_order_stats_t){.op = s->a->op, .order = s->kind, .units = (int64_t)s->units};
    memcpy(f->blocks, figures.blocks, sizeof f->blocks);
    memcpy(f->footprint, figures.footprint, sizeof f->footprint);
    memcpy(f->reuse, figures.reuse, sizeof f->reuse);
cleanup:
    return status;
}

/* That order, and before it the units as they are. */
static spmm_status_t add_both(struct subject s, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct subject natural = s;
    natural.kind = SPMM_REORDER_NONE;
    natural.order = NULL;
    if (plan->order_stats == NULL) {
        plan->order_stats = spmmi_alloc_zero(SPMMI_ORDER_STATS_MAX, sizeof *plan->order_stats);
        SPMM_TRY_ALLOC(plan->order_stats, diag);
    }
    SPMM_TRY(add(&natural, plan, diag));
    SPMM_TRY(add(&s, plan, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_order_stats_add(const struct spmmi_op *op, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = op->pattern;
    const int threads = op->request->threads;
    struct subject s = {.a = a, .threads = threads, .units = (uint64_t)a->rows, .unit_ptr = a->row_ptr};
    for (int i = 0; i < op->orders.count; i++) {
        s.kind = op->orders.list[i].kind;
        s.order = op->orders.list[i].order;
        if (s.order != NULL)
            SPMM_TRY(add_both(s, plan, diag));
    }
    for (int i = 0; i < op->unit_order_count; i++) {
        const struct spmmi_unit_order *const o = &op->unit_orders[i];
        s = (struct subject){a, threads, o->units, o->unit_ptr, o->kind, o->order};
        SPMM_TRY(add_both(s, plan, diag));
    }
cleanup:
    return status;
}
