/* SPDX-License-Identifier: Apache-2.0 */
/* Measures candidates with the caller's function, in the order of their predicted times. */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/log.h"
#include "format/matrix/round_values.h"
#include "search.h"

#define TUNE_DEFAULT 3 /* candidates, if the caller asks for measurements without a number */
/* Fraction of a product's time that one more measurement is assumed to gain: predictions choose within 5 % of
 * the best in most cases (docs/model.md, "How good it is"). */
#define TUNE_GAIN 0.05

static int candidates_wanted(const spmm_tuning_options_t *o)
{
    if (o->measure == NULL || o->effort == SPMM_EFFORT_ESTIMATE)
        return 0;
    if (o->effort == SPMM_EFFORT_EXHAUSTIVE)
        return SPMMI_CANDIDATES_MAX;
    return o->candidates > 0 ? o->candidates : o->effort == SPMM_EFFORT_MEASURE ? TUNE_DEFAULT : 0;
}

static bool may_be_measured(const struct spmmi_candidate *c)
{
    return c->refused == 0 && c->item_size + c->unit_rows > 0 && c->measured_us <= 0;
}

/* Returns the candidate to measure next: the best prediction that has not been measured. */
static struct spmmi_candidate *next_of(struct spmmi_search *s)
{
    struct spmmi_candidate *best = NULL;
    for (int i = 0; i < s->count; i++) {
        struct spmmi_candidate *const c = &s->list[i];
        if (may_be_measured(c) && (best == NULL || c->weighed < best->weighed))
            best = c;
    }
    return best;
}

/* Makes *one a plan with a single variant and the parts of c. It borrows the arrays of `whole`, except that
 * values of a narrower type are rounded into *rounded, which the caller frees. */
static spmm_status_t make_plan(const struct spmmi_search *s, const struct spmmi_candidate *c,
                               const spmm_plan_t *whole, spmm_plan_t *one, void **rounded, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_csr_t a;
    *one = *whole;
    one->dtype = s->request->options.a_type;
    one->trace = NULL;
    one->permutation_metrics = NULL;
    one->trace_count = one->permutation_metrics_count = one->part_count = 0;
    one->has_row_block_metrics = 0;
    memset(&one->row_block_metrics, 0, sizeof one->row_block_metrics);
    memset(one->parts, 0, sizeof one->parts); /* the copied pointers belong to `whole` */
    one->variant_count = 1;
    one->variants[0] = (struct spmmi_variant){
        .op = s->pattern->op,
        .compute = c->compute != 0 ? c->compute : (spmm_compute_t)one->dtype,
        .layouts = s->layout,
        .target = s->request->device.target,
        .n_min = 1,
        .n_max = SPMMI_N_MAX,
        .part_first = 0,
    };
    status = spmmi_search_build(s, c, one->parts, &one->part_count, diag);
    one->variants[0].part_count = one->part_count;
    if (status == SPMM_OK && whole->values != NULL && one->dtype != whole->dtype) {
        (void)spmm_plan_csr(whole, &a); /* fails only for NULL */
        status = spmmi_values_round(&a, one->dtype, s->request->threads, rounded, diag);
        one->values = *rounded;
    }
    return status;
}

/* Warns, once per inspection, that the caller's function returned OK with a time that is not positive and
 * finite. */
static void warn(struct spmmi_tuning *tuning, double us)
{
    if (!tuning->is_warned)
        spmmi_log(
            SPMM_LOG_WARNING,
            "tuning.measure returned OK and %g us, expected a finite time above 0: the candidate counts as "
            "not measured",
            us);
    tuning->is_warned = true;
}

/* Stores the result of the caller's measurement. A candidate that the device does not support is refused. Any
 * other failure, such as a missing device, does not count against the candidate. */
static void take_answer(struct spmmi_candidate *c, spmm_status_t answer, double us,
                        struct spmmi_tuning *tuning)
{
    const bool is_time = isfinite(us) && us > 0;
    if (answer == SPMM_OK && !is_time)
        warn(tuning, us);
    if (answer == SPMM_OK && is_time) {
        c->measured_us = us;
        c->refused = (enum spmmi_reason)0;
    } else if (c->refused == 0 && (answer == SPMM_ERR_UNSUPPORTED || answer == SPMM_ERR_TOO_LARGE)) {
        c->refused = SPMMI_REASON_NOT_MEASURED;
        c->value = answer;
        c->threshold = 0;
    }
}

static spmm_status_t measure(const struct spmmi_search *s, struct spmmi_candidate *c,
                             const spmm_plan_t *whole, struct spmmi_tuning *tuning, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_tuning_options_t *const o = &s->request->tuning;
    const spmm_layout_t layout = s->layout == SPMM_LAYOUTS_COL_MAJOR ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR;
    spmm_plan_t *one = spmmi_plan_new();
    void *rounded = NULL;
    double us = 0;
    SPMM_TRY_ALLOC(one, diag);
    SPMM_TRY(make_plan(s, c, whole, one, &rounded, diag));
    const spmm_status_t answer = o->measure(o->measure_context, one, s->pattern->op, s->n, layout, &us);
    take_answer(c, answer, us, tuning);
cleanup:
    for (uint32_t i = 0; one != NULL && i < one->part_count; i++)
        spmmi_free(one->parts[i].items);
    spmmi_free(one);
    spmmi_free(rounded);
    return status;
}

/* Lifts the refusals for failed measurements if no candidate is left: predictions decide then. */
static void forgive(struct spmmi_search *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].refused == 0)
            return;
    for (int i = 0; i < s->count; i++)
        if (s->list[i].refused == SPMMI_REASON_NOT_MEASURED)
            s->list[i].refused = (enum spmmi_reason)0;
}

/* Returns true if there is time for one more measurement and the expected calls would repay it. least: the
 * fastest measured time in seconds. */
static bool may_go_on(const struct spmmi_search *s, const struct spmmi_tuning *t, double least)
{
    const double calls = s->request->options.expected_calls;
    if (t->deadline > 0 && omp_get_wtime() >= t->deadline)
        return false;
    const double one = isfinite(least) ? least : s->best;
    return calls <= 0 || !isfinite(one) || t->last_seconds <= TUNE_GAIN * calls * one;
}

spmm_status_t spmmi_search_measure(struct spmmi_search *s, const spmm_plan_t *plan,
                                   struct spmmi_tuning *tuning, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int wanted = candidates_wanted(&s->request->tuning);
    double least = (double)INFINITY;
    for (int i = 0; i < wanted && may_go_on(s, tuning, least); i++) {
        struct spmmi_candidate *const c = next_of(s);
        if (c == NULL)
            break;
        const double start = omp_get_wtime();
        SPMM_TRY(measure(s, c, plan, tuning, diag));
        tuning->last_seconds = omp_get_wtime() - start;
        if (c->measured_us <= 0 && c->refused == 0)
            break; /* no answer for this candidate: the next measurement would fail too */
        if (c->measured_us > 0)
            least = fmin(least, 1e-6 * c->measured_us);
    }
    forgive(s);
cleanup:
    return status;
}
