/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_fragment.h. */
#include "fragment_plan.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "inspector/reorder/row_likeness.h"

#define MAP_BYTES 12.0 /* of a packed block: its bits, and where its values begin */
#define PACKED_WORTH \
    0.95                 /* of the time of dense blocks, what packed ones must be predicted to take at most */
#define PACKED_GAIN 0.75 /* without a model: packed blocks, which are unpacked, must be so much smaller */
#define PANEL_ROWS_PLAIN 64u /* without a model */
#define PANEL_ROWS_FREE 128u /* taller ones have no kernel on a GPU */
#define PANELS_LEAST 0.25 /* items a multiprocessor below which a free choice leaves panels and strips out */
#define STRIPS_TALL 128u  /* bcsr without constants: strips of so many rows where there are enough */
#define STRIPS_LOW 64u
#define STRIPS_ENOUGH 2u  /* a multiprocessor, which works on two at a time */
#define ORDER_WORTH 2.0   /* times what is to beat: the largest gain that is hoped for from an order */
#define ORDER_FILL 33.0   /* nonzeros of a block, a half of its places, from which on orders are not tried */
#define ORDER_MARGIN 0.99 /* of the time without, what an order must be predicted to take at most */
#define DENSITY_HOPELESS 4.0  /* nonzeros of a block below which no order is hoped to be dense enough */
#define LONG_ROWS 64.0        /* nonzeros of a mean row from which on orders are tried unseen */
#define SMALL_NONZEROS 500000 /* of a matrix whose orders cost some milliseconds, for which both are */
#define SMALL_FILL 48.0
#define SMALL_LONG_ROWS 32.0
#define LIKENESS_MOST 0.87 /* of what spmmi_row_likeness says, for shorter ones */
#define ORDER_GAIN 0.8 /* of blocks or footprints, what the first order leaves where others are tried too */
/* The sample: as many strips as hold so many nonzeros on average, but so many at most and at least. */
#define SAMPLE_NONZEROS 131072.0
#define SAMPLE_MOST 128.0
#define SAMPLE_LEAST 16.0
#define STRIP_ROWS 256.0
/* A few rows that are so many times as long as the mean make most blocks, and a sample has too few or too many of them.
 * Then everything is counted, but of matrices with more nonzeros. */
#define SKEWED_TIMES 16.0
#define SKEWED_LEAST 64
#define SKEWED_NONZEROS 16777216

struct search {
    const struct spmmi_request *r;
    const struct spmmi_pattern *a;
    struct spmmi_fragment_studies *studies;
    const struct spmmi_model_matrix *model;
    uint32_t layout;
    int64_t n;
    struct spmmi_fragment_choice *choice;
};

void spmmi_fragment_studies_free(struct spmmi_fragment_studies *studies)
{
    for (int i = 0; i < studies->count; i++)
        spmmi_fragment_study_close(&studies->list[i].study);
    studies->count = 0;
    spmmi_row_orders_free(&studies->orders);
}

int64_t spmmi_fragment_sample(const struct spmmi_request *r, const struct spmmi_pattern *a)
{
    const double most = SKEWED_TIMES * (double)a->nnz / (double)(a->rows > 0 ? a->rows : 1);
    const bool is_skewed = a->longest >= SKEWED_LEAST && (double)a->longest > most;
    if (spmmi_is_fragments(r->family) || (is_skewed && a->nnz <= SKEWED_NONZEROS))
        return 0;
    const double strips = (double)a->rows / STRIP_ROWS;
    const double held = SAMPLE_NONZEROS * strips / (double)(a->nnz > 0 ? a->nnz : 1);
    return (int64_t)fmax(fmin(held, SAMPLE_MOST), SAMPLE_LEAST);
}

/* Figures of an order, counted when it is first asked for: exact where the caller wants the family. */
static spmm_status_t study_of(const struct search *s, const uint32_t *order,
                              const struct spmmi_fragment_study **study, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_fragment_studies *all = s->studies;
    int i = 0;
    while (i < all->count && all->list[i].order != order)
        i++;
    if (i == all->count) {
        assert(i < SPMMI_ORDER_KINDS);
        all->list[i].order = order;
        status =
            spmmi_fragment_study_open(s->a, order, s->r->options.dtype, spmmi_fragment_sample(s->r, s->a),
                                      s->r->threads, &all->list[i].study);
        all->count++;
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of tensor cores");
    }
    *study = &all->list[i].study;
cleanup:
    return status;
}

/* ---- What may run ---- */

bool spmmi_fragment_is_fitted(const struct spmmi_request *r, spmm_family_t family)
{
    const struct spmmi_model_candidate c = {.family = family, .compute = r->tensor};
    return r->device.is_fitted[spmmi_model_kernel_of(&c)][spmmi_model_type_of(&c, r->options.dtype)] != 0;
}

static spmm_schedule_t schedule_for(const struct spmmi_fragment_figures *f, spmm_dtype_t dtype)
{
    if (f->family == SPMM_FAMILY_BCSR)
        return SPMM_SCHEDULE_DENSE;
    const double bytes = (double)spmm_dtype_size(dtype), dense = f->blocks * 64 * bytes;
    const double packed = f->blocks * MAP_BYTES + f->nnz * bytes;
    return packed > PACKED_GAIN * dense ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
}

static bool may_have_family(const struct search *s, spmm_family_t family)
{
    return spmmi_is_fragments(s->r->family) ? s->r->family == family : spmmi_fragment_is_fitted(s->r, family);
}

/* Strips of bcsr without constants that could tell: tall ones where every multiprocessor still has enough of them. */
static uint32_t strip_rows(const struct search *s)
{
    const int64_t tall = s->a->rows / STRIPS_TALL + (s->a->rows % STRIPS_TALL != 0);
    return tall < (int64_t)STRIPS_ENOUGH * s->r->device.multiprocessors ? STRIPS_LOW : STRIPS_TALL;
}

static bool may_have_unit(const struct search *s, enum spmmi_fragment_unit unit)
{
    const uint32_t named = s->r->options.panel_rows, rows = spmmi_fragment_rows(unit);
    const spmm_family_t family = spmmi_fragment_family(unit);
    if (!may_have_family(s, family))
        return false;
    if (family == SPMM_FAMILY_WINDOW)
        return true;
    if (named != 0)
        return rows == named;
    if (family == SPMM_FAMILY_PANEL)
        return rows == PANEL_ROWS_PLAIN || (s->model != NULL && rows <= PANEL_ROWS_FREE);
    return (s->model != NULL && spmmi_fragment_is_fitted(s->r, family)) || rows == strip_rows(s);
}

static bool may_have_schedule(const struct search *s, const struct spmmi_fragment_figures *f,
                              spmm_schedule_t schedule)
{
    if (f->family == SPMM_FAMILY_BCSR && schedule != SPMM_SCHEDULE_DENSE)
        return false;
    if (spmmi_is_fragments(s->r->family) && s->r->schedule != 0)
        return schedule == s->r->schedule;
    if (!spmmi_is_fragments(s->r->family) && !spmmi_fragment_fits(f, schedule))
        return false;
    return s->model != NULL || schedule == schedule_for(f, s->r->options.dtype);
}

/* Few panels or strips leave most multiprocessors idle, and were measured to lose to rows where the model hopes for a
 * gain. */
static bool has_too_few(const struct search *s, const struct spmmi_fragment_study *study,
                        enum spmmi_fragment_unit unit, uint32_t granule)
{
    if (spmmi_is_fragments(s->r->family) || unit == SPMMI_FRAGMENT_8)
        return false;
    const struct spmmi_fragment_items items = spmmi_fragment_items(study, unit, granule);
    return items.items < PANELS_LEAST * s->r->device.multiprocessors;
}

static double predict(const struct search *s, const struct spmmi_fragment_study *study,
                      enum spmmi_fragment_unit unit, const struct spmmi_fragment_option *option)
{
    if (s->model == NULL)
        return 0;
    const struct spmmi_fragment_items items = spmmi_fragment_items(study, unit, option->granule);
    const struct spmmi_model_fragments f = {.figures = &study->figures[unit],
                                            .items = items.items,
                                            .partials = items.partials,
                                            .granule = option->granule,
                                            .is_reordered = option->order != NULL};
    const struct spmmi_model_candidate c = {
        .family = option->family, .schedule = option->schedule, .fragments = &f, .compute = s->r->tensor};
    return spmmi_model_predict(&s->r->device, s->model, &c, s->n, s->layout, s->r->options.dtype).seconds;
}

/* Ties go to the order of A: where little is predicted, rows that are torn from their neighbours mostly lose. */
static bool is_better(const struct spmmi_fragment_option *option, const struct spmmi_fragment_option *than)
{
    const double margin = option->order != NULL && than->order == NULL ? ORDER_MARGIN : 1;
    return option->seconds < margin * than->seconds;
}

/* Where a column of a window holds little more than one nonzero, its row of B serves little more than one product:
 * rows gather as little, and were never measured to be slower, whatever is predicted. Blocks of bcsr are larger: where
 * they are mostly empty, windows and panels have less to multiply. */
static bool is_dense(const struct search *s, const struct spmmi_fragment_option *option)
{
    return spmmi_is_fragments(s->r->family) || option->fill >= spmmi_fragment_fill_least(option->family);
}

static void keep_best(const struct spmmi_fragment_option *option, bool may_win,
                      struct spmmi_fragment_choice *choice)
{
    int i = 0;
    while (i < choice->count &&
           (choice->list[i].family != option->family || choice->list[i].schedule != option->schedule))
        i++;
    if (i == choice->count || is_better(option, &choice->list[i]))
        choice->list[i] = *option;
    choice->count += i == choice->count;
    if (may_win && (choice->best.family == 0 || is_better(option, &choice->best)))
        choice->best = *option;
}

double spmmi_fragment_study_fill(const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit)
{
    const struct spmmi_fragment_figures *windows = &study->figures[SPMMI_FRAGMENT_8];
    const bool is_bcsr = spmmi_fragment_family(unit) == SPMM_FAMILY_BCSR;
    const struct spmmi_fragment_figures *f = is_bcsr ? &study->figures[unit] : windows;
    return f->blocks > 0 ? f->nnz / f->blocks * windows->places / f->places : 0;
}

/* Every schedule of a unit that may run; packed blocks win only where that is worth their unpacking. */
static void try_unit(const struct search *s, const struct spmmi_fragment_study *study,
                     enum spmmi_fragment_unit unit, const uint32_t *order, struct spmmi_fragment_option *best)
{
    const struct spmmi_fragment_figures *f = &study->figures[unit];
    struct spmmi_fragment_option option = {.family = f->family,
                                           .panel_rows = f->unit_rows,
                                           .granule = spmmi_fragment_granule(f, s->r->device.multiprocessors),
                                           .order = order,
                                           .blocks = f->blocks,
                                           .density = spmmi_fragment_study_fill(study, SPMMI_FRAGMENT_8),
                                           .fill = spmmi_fragment_study_fill(study, unit)};
    double most = (double)INFINITY; /* that packed blocks may take, where dense ones may run */
    if (has_too_few(s, study, unit, option.granule))
        return;
    for (int schedule = SPMM_SCHEDULE_DENSE; schedule <= SPMM_SCHEDULE_PACKED; schedule++) {
        option.schedule = (spmm_schedule_t)schedule;
        if (!may_have_schedule(s, f, option.schedule))
            continue;
        option.seconds = predict(s, study, unit, &option);
        const bool may_win = option.seconds <= most;
        keep_best(&option, may_win && is_dense(s, &option), s->choice);
        if (may_win && (best->family == 0 || option.seconds < best->seconds))
            *best = option;
        most = PACKED_WORTH * option.seconds;
    }
}

/* All that may run in this order; returns the best of it. */
static struct spmmi_fragment_option try_all(const struct search *s, const struct spmmi_fragment_study *study,
                                            const uint32_t *order)
{
    struct spmmi_fragment_option best = {.family = (spmm_family_t)0};
    for (int unit = 0; unit < SPMMI_FRAGMENT_UNITS; unit++) {
        if (may_have_unit(s, (enum spmmi_fragment_unit)unit))
            try_unit(s, study, (enum spmmi_fragment_unit)unit, order, &best);
    }
    return best;
}

/* ---- Orders ---- */

/* Making orders takes longer than all the rest, so a free choice tries them only where the blocks of windows have room
 * for more nonzeros, where what was found so far is not too far from what is to beat, and where a quick look finds like
 * rows apart; long rows are cheap to order, as the cost is that of rows. */
static spmm_status_t may_order_pay(const struct search *s, const struct spmmi_fragment_option *natural,
                                   double to_beat, bool *pays, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *a = s->a;
    const bool is_small = a->nnz < SMALL_NONZEROS;
    *pays = s->r->options.reorder != SPMM_REORDER_NONE &&
            (s->r->options.reorder != SPMM_REORDER_AUTO || s->model != NULL);
    if (s->r->options.reorder != SPMM_REORDER_AUTO || s->model == NULL || !isfinite(to_beat))
        goto cleanup;
    *pays =
        natural->density < (is_small ? SMALL_FILL : ORDER_FILL) && natural->seconds < ORDER_WORTH * to_beat;
    if (!*pays || a->mean >= (is_small ? SMALL_LONG_ROWS : LONG_ROWS))
        goto cleanup;
    if (s->studies->likeness == 0) {
        status = spmmi_row_likeness(a->rows, a->cols, a->row_ptr, a->col_ind, s->r->threads,
                                    &s->studies->likeness);
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the likeness of rows");
    }
    *pays = s->studies->likeness < LIKENESS_MOST;
cleanup:
    return status;
}

/* Returns whether blocks of windows, or footprints of panels, fall so far that other orders may do as well. */
static spmm_status_t try_order(const struct search *s, const struct spmmi_row_order *order, bool *gains,
                               spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_fragment_study *before = NULL, *after = NULL;
    struct spmmi_fragment_choice *c = s->choice;
    *gains = false;
    if (order->order == NULL)
        goto cleanup;
    SPMM_TRY(study_of(s, order->order, &after, diag));
    SPMM_TRY(study_of(s, NULL, &before, diag));
    const struct spmmi_fragment_option best = try_all(s, after, order->order);
    if (best.family == 0)
        goto cleanup;
    c->orders[c->order_count].option = best;
    c->orders[c->order_count].kind = order->kind;
    c->orders[c->order_count++].blocks =
        before->figures[spmmi_fragment_unit_of(best.family, best.panel_rows)].blocks;
    *gains = after->figures[SPMMI_FRAGMENT_8].blocks < ORDER_GAIN * before->figures[SPMMI_FRAGMENT_8].blocks;
    for (int unit = SPMMI_FRAGMENT_64; unit <= SPMMI_FRAGMENT_128; unit++)
        *gains = *gains || after->figures[unit].footprint < ORDER_GAIN * before->figures[unit].footprint;
cleanup:
    return status;
}

/* All orders that could pay where the caller wants the family. A free choice goes on to the second only where the first
 * shows that there is much to gain. */
static spmm_status_t try_orders(const struct search *s, spmm_diag_t *diag)
{
    static const spmm_reorder_t of_auto[] = {SPMM_REORDER_MINHASH, SPMM_REORDER_RCM, SPMM_REORDER_RADIX};
    spmm_status_t status = SPMM_OK;
    const spmm_reorder_t wanted = s->r->options.reorder;
    const struct spmmi_row_order *order = NULL;
    struct spmmi_row_orders *orders = &s->studies->orders;
    bool gains = true;
    orders->rows = s->a->rows;
    orders->cols = s->a->cols;
    orders->row_ptr = s->a->row_ptr;
    orders->col_ind = s->a->col_ind;
    orders->threads = s->r->threads;
    if (wanted != SPMM_REORDER_AUTO) {
        SPMM_TRY(spmmi_row_order_of(orders, wanted, &order, diag));
        if (order->order == NULL)
            goto cleanup;
        memset(&s->choice->best, 0, sizeof s->choice->best); /* the caller wants that order, not A's */
        s->choice->count = 0;
        SPMM_TRY(try_order(s, order, &gains, diag));
        goto cleanup;
    }
    for (size_t i = 0; i < sizeof of_auto / sizeof of_auto[0] && gains; i++) {
        if (of_auto[i] == SPMM_REORDER_RCM && s->a->rows != s->a->cols)
            continue;
        SPMM_TRY(spmmi_row_order_of(orders, of_auto[i], &order, diag));
        SPMM_TRY(try_order(s, order, &gains, diag));
        gains = gains || spmmi_is_fragments(s->r->family);
    }
cleanup:
    return status;
}

spmm_status_t spmmi_choose_fragment(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    struct spmmi_fragment_studies *studies,
                                    const struct spmmi_model_matrix *model, uint32_t layout, int64_t n,
                                    double to_beat, struct spmmi_fragment_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct search s = {r, a, studies, model, layout, n, choice};
    const struct spmmi_fragment_study *study = NULL;
    bool pays = false;
    memset(choice, 0, sizeof *choice);
    choice->margin = spmmi_fragment_margin(layout, n);
    SPMM_TRY(study_of(&s, NULL, &study, diag));
    const struct spmmi_fragment_option natural = try_all(&s, study, NULL);
    if (natural.family == 0 || (!spmmi_is_fragments(r->family) && natural.density < DENSITY_HOPELESS))
        goto cleanup;
    SPMM_TRY(may_order_pay(&s, &natural, to_beat, &pays, diag));
    if (pays)
        SPMM_TRY(try_orders(&s, diag));
cleanup:
    return status;
}
