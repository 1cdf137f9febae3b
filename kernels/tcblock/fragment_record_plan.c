/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a choice of tensor cores (choose_fragment.h): records of what was considered, and a part. */
#include "fragment_plan.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"

#define US_PER_SECOND 1e6

static struct spmmi_trace record(const struct spmmi_request *r, const struct spmmi_fragment_option *option)
{
    return (struct spmmi_trace){.family = option->family,
                                .schedule = option->schedule,
                                .compute = r->options.dtype == SPMM_F32 ? r->tensor : (spmm_compute_t)0,
                                .predicted_us = US_PER_SECOND * option->seconds};
}

static void explain(const struct spmmi_request *r, const struct spmmi_fragment_choice *c,
                    const struct spmmi_fragment_option *option, double others_us, struct spmmi_trace *t)
{
    const bool is_close = !c->is_taken && t->predicted_us < others_us;
    t->chosen = c->is_taken && option == &c->best;
    t->figure = t->predicted_us;
    if (spmmi_is_fragments(r->family)) {
        t->reason = t->chosen ? SPMMI_REASON_FORCED : SPMMI_REASON_PREDICTED;
        t->figure = t->chosen ? 0 : t->predicted_us;
        t->threshold = t->chosen ? 0 : US_PER_SECOND * c->best.seconds;
    } else if (option->fill < spmmi_fragment_fill_least(option->family)) {
        t->reason = SPMMI_REASON_DENSITY;
        t->figure = option->fill;
        t->threshold = spmmi_fragment_fill_least(option->family);
    } else {
        t->reason = is_close ? SPMMI_REASON_MARGIN : SPMMI_REASON_PREDICTED;
        t->threshold = is_close                    ? c->margin * others_us
                       : t->chosen || !c->is_taken ? others_us
                                                   : US_PER_SECOND * c->best.seconds;
    }
}

int spmmi_fragment_trace(const struct spmmi_request *r, const struct spmmi_fragment_choice *choice,
                         double others_us, struct spmmi_trace list[SPMMI_FRAGMENT_TRACE_MAX])
{
    int count = 0;
    for (int i = 0; i < choice->count; i++) {
        const struct spmmi_fragment_option *const best = &choice->best, *option = &choice->list[i];
        if (option->family == best->family && option->schedule == best->schedule)
            option = best; /* which may be another one, where the fastest may not win */
        list[count] = record(r, option);
        explain(r, choice, option, others_us, &list[count++]);
    }
    for (int i = 0; i < choice->order_count; i++) {
        const struct spmmi_fragment_option *option = &choice->orders[i].option;
        list[count] = record(r, option);
        list[count].reason = SPMMI_REASON_BLOCKS;
        list[count].order = choice->orders[i].kind;
        list[count].figure = option->blocks;
        list[count].threshold = choice->orders[i].blocks;
        list[count++].chosen = choice->is_taken && option->order == choice->best.order;
    }
    return count;
}

spmm_status_t spmmi_fragment_part(const struct spmmi_pattern *a, const struct spmmi_decision *d,
                                  struct spmmi_part *part, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *part = (struct spmmi_part){.op = a->op,
                                .family = d->family,
                                .schedule = d->schedule,
                                .granule = d->granule,
                                .item_count = (uint64_t)a->rows,
                                .panel_rows = d->panel_rows,
                                .flags = d->flags};
    part->items = spmmi_alloc(part->item_count, sizeof *part->items);
    SPMM_TRY_ALLOC(part->items, diag);
    for (uint64_t i = 0; i < part->item_count; i++)
        part->items[i] = d->order == NULL ? (uint32_t)i : d->order[i];
cleanup:
    return status;
}
