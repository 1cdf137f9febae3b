/* SPDX-License-Identifier: Apache-2.0 */
/* See search_plan.h. */
#include "search_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/matrix/equal_values.h"
#include "inspector/search/permutation_metrics.h"
#include "search.h"

/* What a device and the CPU beside it decide for both ops always has room: more devices may need more variants. */
static_assert(2 * 2 * SPMMI_DECISION_MAX <= SPMMI_VARIANT_MAX, "every decision has its variant");
/* But for wide n in three ranges: these are for GPUs alone, and the CPU beside one has few records, as rows alone is
 * predicted for it. Where a trace is full all the same, losers are left out. */
static_assert(2 * 2 * (SPMMI_DECISION_MAX - 4) * (SPMMI_RECORD_MAX - 1) + SPMMI_VARIANT_MAX <=
                  SPMMI_TRACE_MAX,
              "every record has its entry");

/* State while the parts of one op are made. */
struct work {
    struct spmmi_op op;
    struct spmmi_decision decisions[SPMMI_DECISION_MAX];
    struct spmmi_request reserve;
};

/* ---- Parts ---- */

static bool are_equal(const struct spmmi_part *a, const struct spmmi_part *b)
{
    return a->op == b->op && a->family == b->family && a->schedule == b->schedule &&
           a->item_size == b->item_size && a->block_rows == b->block_rows &&
           a->stage_slots == b->stage_slots && a->flags == b->flags && a->item_count == b->item_count &&
           (a->item_count == 0 || memcmp(a->items, b->items, a->item_count * sizeof *a->items) == 0);
}

/* The part of the plan that is equal to this one, with equal long rows or none; part_count: there is none. */
static uint32_t find_part(const spmm_plan_t *plan, const struct spmmi_part *part,
                          const struct spmmi_part *long_rows)
{
    uint32_t i = 0;
    for (; i < plan->part_count; i++) {
        const struct spmmi_part *const own = spmmi_long_rows_of(plan, i);
        if ((own == NULL) == (long_rows == NULL) && are_equal(&plan->parts[i], part) &&
            (own == NULL || are_equal(own, long_rows)))
            break;
    }
    return i;
}

/* The part of a decision: one that the plan has, whatever device it was made for, or a new one. */
static spmm_status_t find_or_make_part(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                       spmm_plan_t *plan, uint32_t *index, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_part made[2];
    uint32_t count = 0;
    status = spmmi_search_build(s, c, made, &count, diag);
    *index = status == SPMM_OK ? find_part(plan, made, count > 1 ? &made[1] : NULL) : 0;
    if (status != SPMM_OK || *index < plan->part_count)
        goto cleanup;
    SPMM_REQUIRE(
        plan->part_count + 2 <= SPMMI_PART_MAX, SPMM_ERR_ARGUMENT, diag,
        "so many devices, types, ops, layouts and numbers of columns need more than %d parts: name fewer",
        SPMMI_PART_MAX - 2);
    memcpy(&plan->parts[plan->part_count], made, count * sizeof *made);
    plan->part_count += count;
    count = 0; /* the plan owns them */
cleanup:
    for (uint32_t i = 0; i < count; i++)
        spmmi_free(made[i].items);
    return status;
}

/* ---- Variants ---- */

/* Is the variant one that a plan for any device has already? */
static bool is_covered(const spmm_plan_t *plan, const struct spmmi_variant *v)
{
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        const struct spmmi_variant *const u = &plan->variants[i];
        if (u->op == v->op && u->compute == v->compute && u->target == SPMMI_TARGET_ANY &&
            u->part_first == v->part_first && u->n_min <= v->n_min && u->n_max >= v->n_max &&
            (v->layouts & ~u->layouts) == 0)
            return true;
    }
    return false;
}

/* Where the trace is full, entries of losers give way to a winner of each variant. */
static void add_records(const struct spmmi_decision *d, spmm_plan_t *plan)
{
    uint32_t kept_free = SPMMI_VARIANT_MAX - plan->variant_count; /* for this variant and all to come */
    bool is_awaited = true;
    for (int k = 0; k < d->record_count; k++) {
        if (d->records[k].chosen && is_awaited) {
            is_awaited = false;
            kept_free--;
        }
        if (plan->trace_count + kept_free >= SPMMI_TRACE_MAX)
            continue;
        plan->trace[plan->trace_count] = d->records[k];
        plan->trace[plan->trace_count++].variant = plan->variant_count;
    }
}

static spmm_status_t add_metrics(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                 spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_planner *const planner = spmmi_planner_of(c->family);
    const bool is_column = s->layout == SPMM_LAYOUTS_COL_MAJOR;
    if (planner->metrics == NULL || (plan->has_row_block_metrics && !is_column))
        goto cleanup;
    SPMM_TRY(planner->metrics(s, c, &plan->row_block_metrics, diag));
    plan->has_row_block_metrics = 1;
cleanup:
    return status;
}

/* Variants of the decisions for one target. */
static spmm_status_t add_variants(struct work *w, const struct spmmi_request *r, int count, spmm_plan_t *plan,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < count; i++) {
        const struct spmmi_decision *const d = &w->decisions[i];
        const struct spmmi_search s = spmmi_op_search(&w->op, r, d->layouts, d->range.n);
        uint32_t part = 0;
        SPMM_TRY(find_or_make_part(&s, &d->winner, plan, &part, diag));
        const struct spmmi_variant v = {
            .op = w->op.pattern->op,
            .compute = d->winner.compute != 0 ? d->winner.compute : (spmm_compute_t)r->options.a_type,
            .layouts = d->layouts,
            .target = r->device.target,
            .n_min = d->range.n_min,
            .n_max = d->range.n_max,
            .part_first = part,
            .part_count = d->winner.long_rows != NULL ? 2 : 1,
        };
        if (is_covered(plan, &v))
            continue;
        SPMM_REQUIRE(
            plan->variant_count < SPMMI_VARIANT_MAX, SPMM_ERR_ARGUMENT, diag,
            "so many devices, types, ops, layouts and numbers of columns need more than %d variants: name "
            "fewer",
            SPMMI_VARIANT_MAX);
        add_records(d, plan);
        plan->variants[plan->variant_count++] = v;
    }
cleanup:
    return status;
}

static bool has_first_family(const spmm_plan_t *plan, spmm_op_t op)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].op == op && plan->parts[i].family == spmmi_family_at(0)->id &&
            (plan->parts[i].flags & SPMMI_PART_LONG_ROWS) == 0)
            return true;
    return false;
}

/* Where the library of a variant's family is missing, the executor runs a part of the first family: if no variant has
 * one, the plan keeps the one that is predicted best beside them. */
static spmm_status_t add_reserve(struct work *w, const struct spmmi_request *r, int count, spmm_plan_t *plan,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tuning none = {.deadline = 0};
    struct spmmi_decision decision;
    uint32_t part = 0;
    int i = 0;
    while (i < count && !spmmi_planner_of(w->decisions[i].winner.family)->needs_library)
        i++;
    if (i == count || has_first_family(plan, w->op.pattern->op))
        goto cleanup;
    w->reserve = *r;
    w->reserve.family = spmmi_family_at(0)->id;
    w->reserve.schedule = (spmm_schedule_t)0;
    struct spmmi_search s =
        spmmi_op_search(&w->op, &w->reserve, SPMM_LAYOUTS_ROW_MAJOR, w->decisions[i].range.n);
    SPMM_TRY(spmmi_search_decide(&s, NULL, &none, &decision, diag));
    SPMM_TRY(find_or_make_part(&s, &decision.winner, plan, &part, diag));
cleanup:
    return status;
}

/* Metrics of the first part that has such: column-major before row-major, as decisions are asked. */
static spmm_status_t keep_metrics(struct work *w, const struct spmmi_request *r, int count, spmm_plan_t *plan,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    static const uint32_t layouts[] = {SPMM_LAYOUTS_COL_MAJOR, SPMM_LAYOUTS_ROW_MAJOR};
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < count && !plan->has_row_block_metrics; i++) {
            const struct spmmi_decision *const d = &w->decisions[i];
            const struct spmmi_search s = spmmi_op_search(&w->op, r, layouts[l], d->first_n);
            if ((d->layouts & layouts[l]) != 0)
                SPMM_TRY(add_metrics(&s, &d->winner, plan, diag));
        }
cleanup:
    return status;
}

/* All for one device. The CPU beside the devices shares what was cached for the last of them, and gets its variants
 * where its time is predicted or the caller named its kernel. */
static spmm_status_t plan_device(struct work *w, const struct spmmi_request *r, struct spmmi_tuning *tuning,
                                 spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int count = 0;
    if (r->is_beside && !r->cpu_is_named && !spmmi_prices(r))
        goto cleanup;
    if (!r->is_beside)
        spmmi_op_forget(&w->op);
    SPMM_TRY(
        spmmi_decide(&w->op, r, r->tuning.measure != NULL ? plan : NULL, tuning, w->decisions, &count, diag));
    if (!r->is_beside)
        SPMM_TRY(spmmi_permutation_metrics_add(&w->op, plan, diag));
    SPMM_TRY(add_variants(w, r, count, plan, diag));
    if (!r->is_beside) {
        SPMM_TRY(add_reserve(w, r, count, plan, diag));
        SPMM_TRY(keep_metrics(w, r, count, plan, diag));
    }
cleanup:
    return status;
}

static spmm_status_t plan_op(const struct spmmi_requests *requests, const struct spmmi_pattern *a,
                             struct spmmi_tuning *tuning, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct work *w = spmmi_alloc_zero(1, sizeof *w);
    SPMM_TRY_ALLOC(w, diag);
    SPMM_TRY(spmmi_op_open(&requests->list[0], a, &w->op, diag));
    w->op.model.has_equal_values = spmmi_plan_has_equal_values(plan, requests->list[0].threads);
    for (int i = 0; i < requests->count; i++)
        SPMM_TRY(plan_device(w, &requests->list[i], tuning, plan, diag));
cleanup:
    if (w != NULL)
        spmmi_op_close(&w->op);
    spmmi_free(w);
    return status;
}

static double deviation(int64_t rows, const int64_t *row_ptr, double mean)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double difference = (double)(row_ptr[i + 1] - row_ptr[i]) - mean;
        sum += difference * difference;
    }
    return rows > 0 ? sqrt(sum / (double)rows) : 0;
}

static spmm_status_t plan_transpose(const struct spmmi_requests *requests, struct spmmi_tuning *tuning,
                                    spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *row_ptr = spmmi_alloc((uint64_t)plan->cols + 1, sizeof *row_ptr);
    int32_t *col_ind = spmmi_alloc((uint64_t)plan->nnz, sizeof *col_ind);
    SPMM_TRY_ALLOC(row_ptr, diag);
    SPMM_TRY_ALLOC(col_ind, diag);
    status = spmmi_transpose(plan->rows, plan->cols, plan->row_ptr, plan->col_ind, row_ptr, col_ind, NULL);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the transpose");
    const double mean = plan->cols > 0 ? (double)plan->nnz / (double)plan->cols : 0;
    const struct spmmi_pattern a = {.op = SPMM_OP_T,
                                    .rows = plan->cols,
                                    .cols = plan->rows,
                                    .nnz = plan->nnz,
                                    .longest = plan->stats.col_max,
                                    .row_ptr = row_ptr,
                                    .col_ind = col_ind,
                                    .mean = mean,
                                    .stddev = deviation(plan->cols, row_ptr, mean)};
    SPMM_TRY(plan_op(requests, &a, tuning, plan, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

spmm_status_t spmmi_search_plan(const struct spmmi_requests *requests, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern a = {.op = SPMM_OP_N,
                                    .rows = plan->rows,
                                    .cols = plan->cols,
                                    .nnz = plan->nnz,
                                    .longest = plan->stats.row_max,
                                    .row_ptr = plan->row_ptr,
                                    .col_ind = plan->col_ind,
                                    .mean = plan->stats.row_mean,
                                    .stddev = plan->stats.row_stddev};
    const struct spmmi_request *const request = &requests->list[0];
    const double limit = request->tuning.time_limit;
    struct spmmi_tuning tuning = {.deadline = limit > 0 ? omp_get_wtime() + limit : 0};
    plan->trace = spmmi_alloc_zero(SPMMI_TRACE_MAX, sizeof *plan->trace);
    SPMM_TRY_ALLOC(plan->trace, diag);
    if ((request->options.ops & SPMM_OPS_N) != 0)
        SPMM_TRY(plan_op(requests, &a, &tuning, plan, diag));
    if ((request->options.ops & SPMM_OPS_T) != 0)
        SPMM_TRY(plan_transpose(requests, &tuning, plan, diag));
cleanup:
    return status;
}
