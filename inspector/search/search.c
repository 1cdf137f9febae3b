/* SPDX-License-Identifier: Apache-2.0 */
/* One search: finds the candidate that takes the least time. See search.h and docs/model.md. */
#include "search.h"

#include <math.h>

#include "format/base/diag.h"

/* Seconds per nonzero of a permutation of the rows. This is the median of docs/reordering.csv for the two
 * permutations that are tried first. */
#define PERMUTATION_SECONDS 35e-9

/* ---- Predictions ---- */

/* Returns the type whose constants of the profile apply. If value types are mixed, the type of B decides, as
 * most of the traffic is reads of B. */
static enum spmmi_model_type type_of(const struct spmmi_search *s, const struct spmmi_candidate *c)
{
    return spmmi_model_type_of(c->family, c->compute, s->request->options.b_type);
}

static bool is_fitted(const struct spmmi_search *s, const struct spmmi_candidate *c)
{
    const enum spmmi_model_type type = type_of(s, c);
    const int kernel = spmmi_profile_kernel(&s->request->device, c->family, c->schedule, type);
    return s->request->device.is_fitted[kernel][type] != 0;
}

double spmmi_search_price(const struct spmmi_search *s, struct spmmi_candidate *c)
{
    const struct spmmi_model_candidate kernel = {c->family, c->schedule, c->compute, c->metrics};
    if (s->pattern->nnz == 0)
        return 0;
    const struct spmmi_prediction p =
        spmmi_predict(&s->request->device, s->model, &kernel, s->n, s->layout, s->request->options.b_type);
    c->is_shared = p.is_shared;
    return p.seconds > 0 ? p.seconds + c->more_seconds : 0;
}

double spmmi_search_risk(const struct spmmi_search *s, const struct spmmi_candidate *c)
{
    const struct spmmi_device_profile *const d = &s->request->device;
    const enum spmmi_model_type type = type_of(s, c);
    const enum spmmi_risk_of of = s->n == 1                             ? SPMMI_RISK_SINGLE
                                  : s->layout == SPMM_LAYOUTS_COL_MAJOR ? SPMMI_RISK_COLUMNS
                                  : s->n > SPMMI_NARROW                 ? SPMMI_RISK_WIDE
                                                                        : SPMMI_RISK_NARROW;
    double risk = spmmi_profile_risk(d, c->family, c->schedule, type, of);
    if (c->permutation_kind != SPMM_REORDER_AUTO)
        risk *= spmmi_profile_extra(d, SPMMI_RISK_PERMUTATION, type, of);
    if (c->long_rows != NULL)
        risk *= spmmi_profile_extra(d, SPMMI_RISK_LONG_ROWS, type, of);
    if (c->is_against_chart)
        risk *= spmmi_profile_extra(d, SPMMI_RISK_CHART, type, of);
    if (c->is_shared)
        risk *= spmmi_profile_extra(d, SPMMI_PROFILE_SHARED, type, of);
    return risk;
}

/* ---- Candidates ---- */

static void refuse(struct spmmi_candidate *c, enum spmmi_reason reason, double value, double threshold)
{
    c->refused = reason;
    c->value = value;
    c->threshold = threshold;
}

static spmm_status_t add(struct spmmi_search *s, const struct spmmi_candidate *c, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(s->count < SPMMI_CANDIDATES_MAX, SPMM_ERR_INTERNAL, diag, "more than %d candidates",
                 SPMMI_CANDIDATES_MAX);
    s->list[s->count] = *c;
    s->list[s->count++].metrics = NULL;
    if (c->refused == 0 && c->weighed > 0)
        s->best = fmin(s->best, c->weighed);
cleanup:
    return status;
}

spmm_status_t spmmi_search_emit(struct spmmi_search *s, struct spmmi_candidate *c, spmm_diag_t *diag)
{
    c->seconds = spmmi_search_price(s, c);
    c->weighed = c->seconds * spmmi_search_risk(s, c);
    const bool is_known = c->seconds > 0 && is_fitted(s, c);
    if (c->refused == 0 && !is_known && s->pattern->nnz > 0 && !spmmi_is_forced(s) && !s->is_relaxed)
        refuse(c, SPMMI_REASON_UNPRICED, 0, 0);
    return add(s, c, diag);
}

spmm_compute_t spmmi_search_compute(const struct spmmi_search *s, const struct spmmi_family *row)
{
    const spmm_compute_t tensor = s->request->tensor;
    const bool is_theirs = row->compute == SPMMI_COMPUTE_TENSOR ||
                           (row->compute == SPMMI_COMPUTE_EITHER && spmmi_is_tf32(tensor));
    return is_theirs ? tensor : (spmm_compute_t)0;
}

spmm_status_t spmmi_search_refuse(struct spmmi_search *s, spmm_family_t family, spmm_schedule_t schedule,
                                  spmm_reorder_t permutation_kind, const struct spmmi_evidence *why,
                                  spmm_diag_t *diag)
{
    struct spmmi_candidate c = {.family = family, .schedule = schedule, .permutation_kind = permutation_kind};
    const struct spmmi_family *const row = spmmi_family_of(family);
    c.compute = spmmi_search_compute(s, row);
    refuse(&c, why->reason, why->value, why->threshold);
    return add(s, &c, diag);
}

const struct spmmi_candidate *spmmi_search_leader(const struct spmmi_search *s, spmm_family_t family,
                                                  spmm_schedule_t schedule, bool in_any_order)
{
    const struct spmmi_candidate *best = NULL;
    for (int i = 0; i < s->count; i++) {
        const struct spmmi_candidate *const c = &s->list[i];
        const bool is_of = c->family == family && (schedule == 0 || c->schedule == schedule);
        if (is_of && c->seconds > 0 && c->long_rows == NULL &&
            (in_any_order || c->permutation_kind == SPMM_REORDER_AUTO) &&
            (best == NULL || c->weighed < best->weighed))
            best = c;
    }
    return best;
}

double spmmi_permutation_seconds(const struct spmmi_search *s)
{
    return PERMUTATION_SECONDS * (double)s->pattern->nnz;
}

spmm_status_t spmmi_search_repays(struct spmmi_search *s, spmm_family_t family, spmm_reorder_t kind,
                                  double inspect_seconds, double bound, bool *repays, spmm_diag_t *diag)
{
    const double calls = s->request->options.expected_calls, gain = s->best - bound;
    *repays = calls <= 0 || !isfinite(s->best) || gain * calls >= inspect_seconds;
    if (*repays)
        return SPMM_OK;
    const struct spmmi_evidence why =
        spmmi_why(SPMMI_REASON_BREAK_EVEN, gain > 0 ? inspect_seconds / gain : 0, calls);
    return spmmi_search_refuse(s, family, (spmm_schedule_t)0, kind, &why, diag);
}

/* ---- Families ---- */

/* Returns true if the profile has constants for any schedule of the family. If the family has both plain f32
 * and tf32 kernels, the constants of plain f32 are required. */
static bool has_constants(const struct spmmi_search *s, const struct spmmi_family *row)
{
    struct spmmi_candidate c = {.family = row->id};
    if (row->compute == SPMMI_COMPUTE_TENSOR)
        c.compute = spmmi_search_compute(s, row);
    for (int i = 0; spmmi_schedule_at(i) != NULL; i++) {
        c.schedule = spmmi_schedule_at(i)->id;
        if (spmmi_schedule_at(i)->family == row->id && is_fitted(s, &c))
            return true;
    }
    return false;
}

static bool takes_types(const struct spmmi_request *r, const struct spmmi_family *row)
{
    return spmmi_family_takes(row, r->options.a_type, r->options.b_type, r->options.c_type) != 0;
}

/* Returns the least number of nonzeros with which the family was measured for products like this one, or
 * INT64_MAX if it was not measured with small matrices. */
static int64_t measured_min(const struct spmmi_search *s, const struct spmmi_planner *planner)
{
    const spmm_dtype_t type = s->request->options.b_type;
    if (s->layout == SPMM_LAYOUTS_ROW_MAJOR)
        return type == SPMM_F32 && s->n >= SPMMI_COLUMNS_MEASURED ? SPMMI_NONZEROS_WIDE : INT64_MAX;
    return (type == SPMM_F32 || type == SPMM_F64) && planner->small_columns_min > 0 &&
                   s->n >= planner->small_columns_min
               ? SPMMI_NONZEROS_SMALL
               : INT64_MAX;
}

/* Returns the minimum number of nonzeros for which the default choice considers a family. */
static int64_t nonzeros_min(const struct spmmi_search *s, const struct spmmi_planner *planner)
{
    const int64_t measured = measured_min(s, planner);
    return measured < planner->nonzeros_min ? measured : planner->nonzeros_min;
}

/* Returns why the default choice does not consider a family; reason 0: it does. */
static struct spmmi_evidence reason_against(const struct spmmi_search *s, const struct spmmi_family *row,
                                            const struct spmmi_planner *planner)
{
    const struct spmmi_request *const r = s->request;
    const double nnz = (double)s->pattern->nnz;
    const bool on_cpu = r->device.target == SPMMI_TARGET_CPU;
    if (!takes_types(r, row) || (row->compute == SPMMI_COMPUTE_TENSOR && r->tensor == 0))
        return spmmi_why(SPMMI_REASON_TYPE, 0, 0);
    if (r->options.permute_output && planner->permutes_output < 2)
        return spmmi_why(SPMMI_REASON_FORCED, 0, 0);
    if (s->is_relaxed)
        return spmmi_why((enum spmmi_reason)0, 0, 0);
    if (s->n < row->n_min)
        return spmmi_why(SPMMI_REASON_COLUMNS, (double)s->n, (double)row->n_min);
    if (s->pattern->nnz < nonzeros_min(s, planner))
        return spmmi_why(SPMMI_REASON_SMALL, nnz, (double)nonzeros_min(s, planner));
    if ((on_cpu && !planner->prices_cpu) || !has_constants(s, row))
        return spmmi_why(SPMMI_REASON_UNPRICED, 0, 0);
    return spmmi_why((enum spmmi_reason)0, 0, 0);
}

bool spmmi_prices(const struct spmmi_request *r)
{
    const struct spmmi_family *row = NULL;
    for (int f = 0; (row = spmmi_family_at(f)) != NULL; f++)
        if ((r->family == 0 || r->family == row->id) && takes_types(r, row) &&
            (r->device.target != SPMMI_TARGET_CPU || spmmi_planner_of(row->id)->prices_cpu))
            return true;
    return false;
}

static bool may_any_run(const struct spmmi_search *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].refused == 0)
            return true;
    return false;
}

/* Lets each family propose candidates, or records why the family is not considered. A relaxed search stops at
 * the first family that has a candidate that may run. */
static spmm_status_t propose(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_family_t wanted = s->request->family;
    const struct spmmi_family *row = NULL;
    for (int f = 0; (row = spmmi_family_at(f)) != NULL; f++) {
        const struct spmmi_planner *const planner = spmmi_planner_of(row->id);
        const struct spmmi_evidence why =
            wanted != 0 ? spmmi_why((enum spmmi_reason)0, 0, 0) : reason_against(s, row, planner);
        if (wanted != 0 && row->id != wanted)
            continue;
        if (why.reason != 0)
            SPMM_TRY(spmmi_search_refuse(s, row->id, (spmm_schedule_t)0, SPMM_REORDER_AUTO, &why, diag));
        else
            SPMM_TRY(planner->propose(s, diag));
        if (s->is_relaxed && may_any_run(s))
            break;
    }
cleanup:
    return status;
}

/* Calls refine of each family that proposed a candidate. */
static spmm_status_t refine(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_family *row = NULL;
    for (int f = 0; (row = spmmi_family_at(f)) != NULL; f++) {
        const struct spmmi_planner *const planner = spmmi_planner_of(row->id);
        bool is_proposed = false;
        for (int i = 0; i < s->count; i++)
            is_proposed = is_proposed ||
                          (s->list[i].family == row->id && s->list[i].item_size + s->list[i].unit_rows > 0);
        if (is_proposed && planner->refine != NULL)
            SPMM_TRY(planner->refine(s, diag));
    }
cleanup:
    return status;
}

/* ---- The choice ---- */

/* Refuses each candidate whose extra inspection time the expected calls do not repay. */
static void weigh_calls(struct spmmi_search *s)
{
    const double calls = s->request->options.expected_calls;
    double cheap = (double)INFINITY;
    for (int i = 0; i < s->count; i++)
        if (s->list[i].refused == 0 && s->list[i].inspect_seconds <= 0 && s->list[i].weighed > 0)
            cheap = fmin(cheap, s->list[i].weighed);
    for (int i = 0; i < s->count && calls > 0 && isfinite(cheap); i++) {
        struct spmmi_candidate *const c = &s->list[i];
        const double gain = cheap - c->weighed;
        if (c->refused != 0 || c->inspect_seconds <= 0 || gain <= 0)
            continue;
        const double even = c->inspect_seconds / gain;
        if (even > calls)
            refuse(c, SPMMI_REASON_BREAK_EVEN, even, calls);
        else if (c->evidence_count < SPMMI_EVIDENCE_MAX)
            c->evidence[c->evidence_count++] = spmmi_why(SPMMI_REASON_BREAK_EVEN, even, calls);
    }
}

/* Fills the list of candidates from scratch and applies the break-even rule. */
static spmm_status_t ask(struct spmmi_search *s, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    s->count = 0;
    s->best = (double)INFINITY;
    SPMM_TRY(propose(s, diag));
    SPMM_TRY(refine(s, diag));
    weigh_calls(s);
cleanup:
    return status;
}

spmm_status_t spmmi_search_decide(struct spmmi_search *s, const spmm_plan_t *plan,
                                  struct spmmi_tuning *tuning, struct spmmi_decision *decision,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *decision = (struct spmmi_decision){.layouts = s->layout, .range = {.n = s->n}};
    SPMM_TRY(ask(s, diag));
    if (spmmi_search_choose(s) == NULL) {
        s->is_relaxed = true;
        SPMM_TRY(ask(s, diag));
    }
    if (plan != NULL)
        SPMM_TRY(spmmi_search_measure(s, plan, tuning, diag));
    const struct spmmi_candidate *const winner = spmmi_search_choose(s);
    SPMM_REQUIRE(winner != NULL, SPMM_ERR_ARGUMENT, diag, "no kernel supports %s with these options",
                 spmm_dtype_name(s->request->options.a_type));
    decision->winner = *winner;
    spmmi_search_record(s, winner, decision);
cleanup:
    return status;
}
