/* SPDX-License-Identifier: Apache-2.0 */
/* See fragment_plan.h: what is proposed in the order of A, or in the one that the caller names. */
#include "fragment_plan.h"

#include <math.h>
#include <stdio.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "kernels/long_rows/peel_plan.h"

#define HEIGHTS_BYTES 64
#define MAP_BYTES 12.0   /* of a packed block: its bits, and where its values begin */
#define PACKED_GAIN 0.75 /* without a model: packed blocks, which are unpacked, must be so much smaller */
/* The sample: as many strips as hold so many nonzeros on average, but so many at most and at least. */
#define SAMPLE_NONZEROS 131072.0
#define SAMPLE_MOST 128.0
#define SAMPLE_LEAST 16.0
/* A few rows that are so many times as long as the mean make most blocks, and a sample has too few or too many of them.
 * Then everything is counted, but of matrices with more nonzeros. */
#define SKEWED_TIMES 16.0
#define SKEWED_LEAST 64
#define SKEWED_NONZEROS 16777216

/* Studies of the orders that were looked at, for all families of the tensor cores. */
struct studies {
    struct {
        const uint32_t *order; /* NULL: that of A */
        struct spmmi_fragment_study study;
    } list[SPMMI_ORDER_KINDS];
    int count;
};

static void close_studies(void *memory)
{
    struct studies *const all = memory;
    for (int i = 0; i < all->count; i++)
        spmmi_fragment_study_close(&all->list[i].study);
}

int64_t spmmi_fragment_sample(const struct spmmi_request *r, const struct spmmi_pattern *a)
{
    const double most = SKEWED_TIMES * (double)a->nnz / (double)(a->rows > 0 ? a->rows : 1);
    const bool is_skewed = a->longest >= SKEWED_LEAST && (double)a->longest > most;
    if (r->family != 0 || (is_skewed && a->nnz <= SKEWED_NONZEROS))
        return 0;
    const double strips = (double)a->rows / SPMMI_FRAGMENT_STRIP;
    const double held = SAMPLE_NONZEROS * strips / (double)(a->nnz > 0 ? a->nnz : 1);
    return (int64_t)fmax(fmin(held, SAMPLE_MOST), SAMPLE_LEAST);
}

spmm_status_t spmmi_fragment_study_of(const struct spmmi_search *s, const uint32_t *order,
                                      const struct spmmi_fragment_study **study, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = s->request;
    struct studies *all = spmmi_search_shelf(s, "fragment studies", sizeof *all, close_studies);
    int i = 0;
    SPMM_TRY_ALLOC(all, diag);
    while (i < all->count && all->list[i].order != order)
        i++;
    if (i == all->count) {
        SPMM_REQUIRE(i < SPMMI_ORDER_KINDS, SPMM_ERR_INTERNAL, diag, "more orders than kinds of them");
        all->list[i].order = order;
        status =
            spmmi_fragment_study_open(s->pattern, order, r->options.dtype,
                                      spmmi_fragment_sample(r, s->pattern), r->threads, &all->list[i].study);
        all->count++;
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of tensor cores");
    }
    *study = &all->list[i].study;
cleanup:
    return status;
}

/* "64, 128 or 256": what panel_rows may be. */
static void unit_heights(const struct spmmi_family *row, char text[HEIGHTS_BYTES])
{
    size_t used = 0;
    for (uint32_t rows = row->unit_min; rows <= row->unit_max && used < HEIGHTS_BYTES; rows *= 2)
        used += (size_t)snprintf(text + used, HEIGHTS_BYTES - used, "%s%u",
                                 rows == row->unit_min  ? ""
                                 : rows < row->unit_max ? ", "
                                                        : " or ",
                                 rows);
}

spmm_status_t spmmi_fragment_check_options(const struct spmmi_request *r, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *const o = &r->options;
    const struct spmmi_family *const row = spmmi_family_of(r->family);
    char heights[HEIGHTS_BYTES];
    unit_heights(row, heights);
    SPMM_REQUIRE(o->balance == 0 && o->segment_length == 0 && o->stage_slots == 0, SPMM_ERR_ARGUMENT, diag,
                 "balance, segments and stages are of the tiled family, but the kernel is to be %s",
                 row->name);
    SPMM_REQUIRE(o->panel_rows == 0 || row->unit_min < row->unit_max, SPMM_ERR_ARGUMENT, diag,
                 "%ss have %u rows: panel_rows is not for them", row->unit, row->unit_min);
    SPMM_REQUIRE(o->panel_rows == 0 || spmmi_is_power_within(o->panel_rows, row->unit_min, row->unit_max),
                 SPMM_ERR_ARGUMENT, diag, "panel_rows of the kernel %s must be %s, found %u", row->name,
                 heights, o->panel_rows);
cleanup:
    return status;
}

/* ---- What may run ---- */

static bool is_predicted(const struct spmmi_search *s)
{
    return s->pattern->nnz > 0 && s->request->device.target != SPMMI_TARGET_CPU;
}

static bool is_fitted(const struct spmmi_search *s, spmm_family_t family)
{
    const struct spmmi_request *const r = s->request;
    const enum spmmi_model_type type = spmmi_model_type_of(family, r->tensor, r->options.dtype);
    const int kernel = spmmi_profile_kernel(&r->device, family, SPMM_SCHEDULE_DENSE, type);
    return r->device.is_fitted[kernel][type] != 0;
}

static bool may_have_unit(const struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                          enum spmmi_fragment_unit unit)
{
    const uint32_t named = s->request->options.panel_rows, rows = spmmi_fragment_rows(unit);
    if (rules->first == rules->last)
        return true;
    if (named != 0)
        return rows == named;
    if (!is_predicted(s) || !is_fitted(s, rules->family))
        return rows == rules->default_rows(s);
    return rules->free_rows == 0 || rows <= rules->free_rows;
}

/* Without a prediction: packed blocks where they are much smaller. */
static spmm_schedule_t default_schedule(const struct spmmi_search *s, const struct spmmi_fragment_figures *f)
{
    if (spmmi_schedule_of(f->family, SPMM_SCHEDULE_PACKED) == NULL)
        return SPMM_SCHEDULE_DENSE;
    const double bytes = (double)spmm_dtype_size(s->request->options.dtype), dense = f->blocks * 64 * bytes;
    const double packed = f->blocks * MAP_BYTES + f->nnz * bytes;
    return packed > PACKED_GAIN * dense ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
}

static bool may_have_schedule(const struct spmmi_search *s, const struct spmmi_fragment_figures *f,
                              spmm_schedule_t schedule)
{
    if (spmmi_schedule_of(f->family, schedule) == NULL)
        return false;
    if (spmmi_is_forced(s) && s->request->schedule != 0)
        return schedule == s->request->schedule;
    return is_predicted(s) || schedule == default_schedule(s, f);
}

double spmmi_fragment_study_fill(const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit)
{
    const struct spmmi_fragment_figures *windows = &study->figures[SPMMI_FRAGMENT_8];
    const struct spmmi_fragment_figures *own = &study->figures[unit];
    /* Blocks of windows and panels are the same ones, but where steps cut them: those of windows tell. */
    const struct spmmi_fragment_figures *f = own->places == windows->places ? windows : own;
    return f->blocks > 0 ? f->nnz / f->blocks * windows->places / f->places : 0;
}

/* Why a free choice may not take it; reason 0: it may. */
static struct spmmi_evidence reason_against(const struct spmmi_search *s,
                                            const struct spmmi_fragment_figures *f, spmm_schedule_t schedule)
{
    if (!spmmi_is_forced(s) && !spmmi_fragment_fits(f, schedule))
        return spmmi_why(SPMMI_REASON_TOO_LARGE, f->places * f->blocks, UINT32_MAX);
    return spmmi_why((enum spmmi_reason)0, 0, 0);
}

void spmmi_fragment_candidate(const struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                              const struct spmmi_fragment_study *study, enum spmmi_fragment_unit unit,
                              spmm_schedule_t schedule, struct spmmi_model_fragments *metrics,
                              struct spmmi_candidate *c)
{
    const struct spmmi_request *const r = s->request;
    const struct spmmi_fragment_figures *const f = &study->figures[unit];
    const bool is_moved = c->order != NULL || r->options.permute_output;
    c->family = rules->family;
    c->schedule = schedule;
    c->compute = r->tensor;
    c->unit_rows = f->unit_rows;
    c->granule = spmmi_fragment_granule(f, r->device.multiprocessors);
    c->flags = (is_moved ? SPMMI_PART_REORDERED : 0u) |
               (r->options.permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
    c->is_default = true;
    const struct spmmi_fragment_items items = spmmi_fragment_items(study, unit, c->granule);
    *metrics = (struct spmmi_model_fragments){.figures = f,
                                              .items = items.items,
                                              .partials = items.partials,
                                              .granule = c->granule,
                                              .is_reordered = c->order != NULL};
    c->metrics = metrics;
    const struct spmmi_evidence why = reason_against(s, f, schedule);
    c->refused = why.reason;
    c->figure = why.figure;
    c->threshold = why.threshold;
}

spmm_status_t spmmi_fragment_emit(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                  const struct spmmi_row_order *order, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_fragment_study *natural = NULL, *study = NULL;
    SPMM_TRY(spmmi_fragment_study_of(s, order != NULL ? order->order : NULL, &study, diag));
    if (order != NULL)
        SPMM_TRY(spmmi_fragment_study_of(s, NULL, &natural, diag));
    for (int u = (int)rules->first; u <= (int)rules->last; u++) {
        const enum spmmi_fragment_unit unit = (enum spmmi_fragment_unit)u;
        for (int schedule = SPMM_SCHEDULE_DENSE; schedule <= SPMM_SCHEDULE_PACKED; schedule++) {
            struct spmmi_model_fragments metrics;
            struct spmmi_candidate c = {.order = NULL};
            if (!may_have_unit(s, rules, unit) ||
                !may_have_schedule(s, &study->figures[unit], (spmm_schedule_t)schedule))
                continue;
            if (order != NULL) {
                c.order = order->order;
                c.order_kind = order->kind;
                c.inspect_seconds = spmmi_order_seconds(s);
                c.evidence[c.evidence_count++] = spmmi_why(SPMMI_REASON_BLOCKS, study->figures[unit].blocks,
                                                           natural->figures[unit].blocks);
            }
            spmmi_fragment_candidate(s, rules, study, unit, (spmm_schedule_t)schedule, &metrics, &c);
            SPMM_TRY(spmmi_search_emit(s, &c, diag));
        }
    }
cleanup:
    return status;
}

spmm_status_t spmmi_fragment_propose(struct spmmi_search *s, const struct spmmi_fragment_rules *rules,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_reorder_t wanted = s->request->options.reorder;
    const struct spmmi_row_order *order = NULL;
    if (!spmmi_is_forced(s) && s->pattern->nnz > (int64_t)UINT32_MAX) {
        const struct spmmi_evidence why =
            spmmi_why(SPMMI_REASON_TOO_LARGE, (double)s->pattern->nnz, UINT32_MAX);
        return spmmi_search_refuse(s, rules->family, (spmm_schedule_t)0, SPMM_REORDER_AUTO, &why, diag);
    }
    if (wanted != SPMM_REORDER_AUTO && wanted != SPMM_REORDER_NONE)
        SPMM_TRY(spmmi_row_order_of(s->orders, wanted, &order, diag));
    SPMM_TRY(spmmi_fragment_emit(s, rules, order != NULL && order->order != NULL ? order : NULL, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_fragment_build(const struct spmmi_search *s, const struct spmmi_candidate *c,
                                   struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    part->item_count = (uint64_t)s->pattern->rows;
    part->items = spmmi_alloc(part->item_count, sizeof *part->items);
    SPMM_TRY_ALLOC(part->items, diag);
    for (uint64_t i = 0; i < part->item_count; i++)
        part->items[i] = c->order == NULL ? (uint32_t)i : c->order[i];
    if (c->peel != NULL)
        SPMM_TRY(spmmi_peel_part(c->peel, part, part + 1, diag));
cleanup:
    return status;
}
