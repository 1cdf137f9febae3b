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

/* The decisions for both ops on one device and on the CPU beside it fit unless wide n is split. Then, and
 * with further devices or types, variants may have to be merged (decision 0118). */
static_assert(2 * 2 * SPMMI_DECISION_USUAL <= SPMMI_VARIANT_MAX, "every decision has its variant");

/* State while one op is planned. */
struct work {
    struct spmmi_op op;
    struct spmmi_decision decisions[SPMMI_DECISION_MAX];
    struct spmmi_request reserve;
};

/* Results of all ops and devices. */
struct output {
    spmm_plan_t *plan;
    struct spmmi_tuning tuning;
    struct spmmi_draft draft;
};

/* Builds the part of a decision and adds it to the draft. */
static spmm_status_t add_part(const struct spmmi_search *s, const struct spmmi_candidate *c,
                              struct spmmi_draft *draft, uint32_t *index, spmm_diag_t *diag)
{
    struct spmmi_part made[2];
    uint32_t count = 0;
    const spmm_status_t status = spmmi_search_build(s, c, made, &count, diag);
    if (status == SPMM_OK)
        spmmi_draft_add_parts(draft, made, count, index);
    for (uint32_t i = 0; i < count && status != SPMM_OK; i++)
        spmmi_free(made[i].items);
    return status;
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

static struct spmmi_draft_variant variant_of(const struct work *w, const struct spmmi_request *r,
                                             const struct spmmi_decision *d, uint32_t part)
{
    const struct spmmi_candidate *const winner = &d->winner;
    struct spmmi_draft_variant v = {
        .of = {.op = w->op.pattern->op,
               .compute = winner->compute != 0 ? winner->compute : (spmm_compute_t)r->options.a_type,
               .layouts = d->layouts,
               .target = r->device.target,
               .n_min = d->range.n_min,
               .n_max = d->range.n_max,
               .part_first = part,
               .part_count = winner->long_rows != NULL ? 2 : 1},
        .is_measured = winner->measured_us > 0,
        .record_count = d->record_count,
    };
    memcpy(v.loss, d->loss, sizeof v.loss);
    memcpy(v.records, d->records, sizeof v.records);
    return v;
}

/* Adds the variants of the decisions of one op and target, as a new group of the draft. */
static spmm_status_t add_variants(struct work *w, const struct spmmi_request *r, int count,
                                  struct spmmi_draft *draft, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int i = 0; i < count; i++) {
        const struct spmmi_decision *const d = &w->decisions[i];
        const struct spmmi_search s = spmmi_op_search(&w->op, r, d->layouts, d->range.n);
        uint32_t part = 0;
        SPMM_TRY(add_part(&s, &d->winner, draft, &part, diag));
        struct spmmi_draft_variant *const v = &draft->variants[draft->variant_count++];
        *v = variant_of(w, r, d, part);
        v->group = draft->group_count;
        v->decision = i;
    }
    draft->group_count++;
cleanup:
    return status;
}

/* Sees to the reserve of an op: if the library of a variant's family is missing, the executor runs a part of
 * the first family. A part that a variant of a GPU runs becomes the reserve. If there is none and a variant
 * of this device needs a library, the part that is predicted best is added. */
static spmm_status_t add_reserve(struct work *w, const struct spmmi_request *r, int count,
                                 struct spmmi_draft *draft, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_tuning none = {.deadline = 0};
    struct spmmi_decision decision;
    uint32_t part = 0;
    int i = 0;
    if (r->device.target == SPMMI_TARGET_CPU || spmmi_draft_keep_first_family(draft, w->op.pattern->op))
        goto cleanup;
    while (i < count && !spmmi_planner_of(w->decisions[i].winner.family)->needs_library)
        i++;
    if (i == count)
        goto cleanup;
    w->reserve = *r;
    w->reserve.family = spmmi_family_at(0)->id;
    w->reserve.schedule = (spmm_schedule_t)0;
    struct spmmi_search s =
        spmmi_op_search(&w->op, &w->reserve, SPMM_LAYOUTS_ROW_MAJOR, w->decisions[i].range.n);
    SPMM_TRY(spmmi_search_decide(&s, NULL, &none, &decision, diag));
    SPMM_TRY(add_part(&s, &decision.winner, draft, &part, diag));
    spmmi_draft_keep(draft, part);
cleanup:
    return status;
}

/* Stores the metrics of the first part that has any. Column-major decisions precede row-major ones, in the
 * order in which they were made. */
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

/* Plans one op for one device. The CPU beside the devices reuses the cache of the last device. It gets
 * variants only if its time can be predicted or the caller named its kernel. */
static spmm_status_t plan_device(struct work *w, const struct spmmi_request *r, struct output *out,
                                 spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int count = 0;
    if (r->is_beside && !r->cpu_is_named && !spmmi_prices(r))
        goto cleanup;
    if (!r->is_beside)
        spmmi_op_forget(&w->op);
    SPMM_TRY(spmmi_decide(&w->op, r, r->tuning.measure != NULL ? out->plan : NULL, &out->tuning, w->decisions,
                          &count, diag));
    if (!r->is_beside)
        SPMM_TRY(spmmi_permutation_metrics_add(&w->op, out->plan, diag));
    SPMM_TRY(add_variants(w, r, count, &out->draft, diag));
    if (!r->is_beside) {
        SPMM_TRY(add_reserve(w, r, count, &out->draft, diag));
        SPMM_TRY(keep_metrics(w, r, count, out->plan, diag));
    }
cleanup:
    return status;
}

static spmm_status_t plan_op(const struct spmmi_requests *requests, const struct spmmi_pattern *a,
                             struct output *out, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct work *w = spmmi_alloc_zero(1, sizeof *w);
    SPMM_TRY_ALLOC(w, diag);
    SPMM_TRY(spmmi_op_open(&requests->list[0], a, &w->op, diag));
    w->op.model.has_equal_values = spmmi_plan_has_equal_values(out->plan, requests->list[0].threads);
    for (int i = 0; i < requests->count; i++)
        SPMM_TRY(plan_device(w, &requests->list[i], out, diag));
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

static spmm_status_t plan_transpose(const struct spmmi_requests *requests, struct output *out,
                                    spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_plan_t *const plan = out->plan;
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
    SPMM_TRY(plan_op(requests, &a, out, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

static int groups_of(const struct spmmi_requests *requests)
{
    const uint32_t ops = requests->list[0].options.ops;
    return requests->count * ((ops & SPMM_OPS_N) != 0 && (ops & SPMM_OPS_T) != 0 ? 2 : 1);
}

spmm_status_t spmmi_search_plan(const struct spmmi_requests *requests, spmm_plan_t *plan,
                                struct spmmi_merges *merges, spmm_diag_t *diag)
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
    struct output out = {.plan = plan, .tuning = {.deadline = limit > 0 ? omp_get_wtime() + limit : 0}};
    SPMM_TRY(spmmi_draft_open(groups_of(requests), &out.draft, diag));
    plan->trace = spmmi_alloc_zero(SPMMI_TRACE_MAX, sizeof *plan->trace);
    SPMM_TRY_ALLOC(plan->trace, diag);
    if ((request->options.ops & SPMM_OPS_N) != 0)
        SPMM_TRY(plan_op(requests, &a, &out, diag));
    if ((request->options.ops & SPMM_OPS_T) != 0)
        SPMM_TRY(plan_transpose(requests, &out, diag));
    SPMM_TRY(spmmi_draft_fit(&out.draft, merges, diag));
    spmmi_draft_write(&out.draft, plan);
cleanup:
    spmmi_draft_close(&out.draft);
    return status;
}
