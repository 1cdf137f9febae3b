/* SPDX-License-Identifier: Apache-2.0 */
/* See search_plan.h. */
#include "search_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/search/permutation_metrics.h"
#include "search.h"

#define OPS 2
#define TARGETS 2 /* what the plan is for, and the CPU beside it */
#define TRACE_MAX (OPS * TARGETS * SPMMI_DECISION_MAX * SPMMI_RECORD_MAX)
static_assert(TRACE_MAX <= SPMMI_TRACE_MAX, "every record has its entry");
static_assert(OPS * TARGETS * SPMMI_DECISION_MAX <= SPMMI_VARIANT_MAX, "every decision has its variant");

/* The source of a part beside its own fields. */
struct origin {
    const uint32_t *permutation;
    const struct spmmi_long_rows_split *long_rows;
};

/* State while the parts of one op are made. */
struct work {
    struct spmmi_op op;
    struct origin origins[SPMMI_PART_MAX]; /* of the parts of this op */
    struct spmmi_decision decisions[SPMMI_DECISION_MAX];
    struct spmmi_request cpu;
    struct spmmi_request reserve;
};

static bool runs(const struct spmmi_part *part, const struct origin *from, spmm_op_t op,
                 const struct spmmi_candidate *c)
{
    return part->op == op && part->family == c->family && part->schedule == c->schedule &&
           part->item_size == c->item_size && part->block_rows == c->unit_rows &&
           part->stage_slots == c->stage_slots && part->flags == c->flags &&
           from->permutation == c->permutation && from->long_rows == c->long_rows;
}

/* The part of a decision, made if there is none yet. */
static spmm_status_t find_or_make_part(struct work *w, const struct spmmi_search *s,
                                       const struct spmmi_candidate *c, spmm_plan_t *plan, uint32_t *index,
                                       spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint32_t made = 0;
    for (*index = 0; *index < plan->part_count; ++*index)
        if (runs(&plan->parts[*index], &w->origins[*index], s->pattern->op, c))
            goto cleanup;
    SPMM_REQUIRE(plan->part_count + 2 <= SPMMI_PART_MAX, SPMM_ERR_ARGUMENT, diag,
                 "so many ops, layouts and numbers of columns need more than %d parts: name fewer",
                 SPMMI_PART_MAX - 2);
    struct spmmi_part *const parts = &plan->parts[plan->part_count];
    status = spmmi_search_build(s, c, parts, &made, diag);
    w->origins[plan->part_count] = (struct origin){c->permutation, c->long_rows};
    plan->part_count += made; /* also what was made before an error, as the plan owns it */
cleanup:
    return status;
}

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
        struct spmmi_variant *const v = &plan->variants[plan->variant_count];
        uint32_t part = 0;
        SPMM_TRY(find_or_make_part(w, &s, &d->winner, plan, &part, diag));
        *v = (struct spmmi_variant){
            .op = w->op.pattern->op,
            .compute = d->winner.compute != 0 ? d->winner.compute : (spmm_compute_t)plan->dtype,
            .layouts = d->layouts,
            .target = r->device.target,
            .n_min = d->range.n_min,
            .n_max = d->range.n_max,
            .part_first = part,
            .part_count = d->winner.long_rows != NULL ? 2 : 1,
        };
        if (is_covered(plan, v))
            continue;
        for (int k = 0; k < d->record_count; k++) {
            plan->trace[plan->trace_count] = d->records[k];
            plan->trace[plan->trace_count++].variant = plan->variant_count;
        }
        plan->variant_count++;
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
    SPMM_TRY(find_or_make_part(w, &s, &decision.winner, plan, &part, diag));
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

/* The CPU gets its own variant where its time is predicted, unless the plan permutes the rows of C, as that holds for
 * all devices. */
static spmm_status_t add_cpu(struct work *w, const struct spmmi_request *r, struct spmmi_tuning *tuning,
                             spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int count = 0;
    if (r->device.target == SPMMI_TARGET_CPU || r->options.permute_output)
        goto cleanup;
    w->cpu = *r;
    if (r->device.target != SPMMI_TARGET_ANY) /* the caller means that device */
        w->cpu.tuning.measure = NULL;
    w->cpu.family = r->on_cpu.family;
    w->cpu.schedule = r->on_cpu.schedule;
    SPMM_TRY(spmmi_device_profile_open("cpu", &w->cpu.device, diag));
    if (!r->cpu_is_named && !spmmi_prices(&w->cpu))
        goto cleanup;
    SPMM_TRY(spmmi_decide(&w->op, &w->cpu, w->cpu.tuning.measure != NULL ? plan : NULL, tuning, w->decisions,
                          &count, diag));
    SPMM_TRY(add_variants(w, &w->cpu, count, plan, diag));
cleanup:
    return status;
}

static spmm_status_t plan_op(const struct spmmi_request *r, const struct spmmi_pattern *a,
                             struct spmmi_tuning *tuning, spmm_plan_t *plan, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct work *w = spmmi_alloc_zero(1, sizeof *w);
    int count = 0;
    SPMM_TRY_ALLOC(w, diag);
    SPMM_TRY(spmmi_op_open(r, a, &w->op, diag));
    SPMM_TRY(
        spmmi_decide(&w->op, r, r->tuning.measure != NULL ? plan : NULL, tuning, w->decisions, &count, diag));
    SPMM_TRY(spmmi_permutation_metrics_add(&w->op, plan, diag));
    SPMM_TRY(add_variants(w, r, count, plan, diag));
    SPMM_TRY(add_reserve(w, r, count, plan, diag));
    SPMM_TRY(keep_metrics(w, r, count, plan, diag));
    SPMM_TRY(add_cpu(w, r, tuning, plan, diag));
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

static spmm_status_t plan_transpose(const struct spmmi_request *r, struct spmmi_tuning *tuning,
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
    SPMM_TRY(plan_op(r, &a, tuning, plan, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

spmm_status_t spmmi_search_plan(const struct spmmi_request *request, spmm_plan_t *plan, spmm_diag_t *diag)
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
    const double limit = request->tuning.time_limit;
    struct spmmi_tuning tuning = {.deadline = limit > 0 ? omp_get_wtime() + limit : 0};
    plan->trace = spmmi_alloc_zero(TRACE_MAX, sizeof *plan->trace);
    SPMM_TRY_ALLOC(plan->trace, diag);
    if ((request->options.ops & SPMM_OPS_N) != 0)
        SPMM_TRY(plan_op(request, &a, &tuning, plan, diag));
    if ((request->options.ops & SPMM_OPS_T) != 0)
        SPMM_TRY(plan_transpose(request, &tuning, plan, diag));
cleanup:
    return status;
}
