/* SPDX-License-Identifier: Apache-2.0 */
/* See choose_fragment.h. */
#include "choose_fragment.h"

#include <assert.h>
#include <string.h>

#include "format/alloc.h"
#include "format/diag.h"

#define INDEX_BYTES 4.0
#define MAP_BYTES 12.0   /* of a packed block: its bits, and where its values begin */
#define PACKED_GAIN 0.75 /* packed blocks are unpacked: they must be so much smaller */

void spmmi_fragment_studies_free(struct spmmi_fragment_studies *studies)
{
    for (int i = 0; i < studies->count; i++)
        spmmi_fragment_study_close(&studies->list[i].study);
    studies->count = 0;
    spmmi_row_orders_free(&studies->orders);
}

/* Exact figures of an order, counted when it is first asked for. */
static spmm_status_t study_of(struct spmmi_fragment_studies *studies, const struct spmmi_request *r,
                              const struct spmmi_pattern *a, const struct spmmi_row_order *order,
                              const struct spmmi_fragment_study **study, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int i = 0;
    while (i < studies->count && studies->list[i].order->order != order->order)
        i++;
    if (i == studies->count) {
        assert(i < SPMMI_ORDER_KINDS);
        studies->list[i].order = order;
        status = spmmi_fragment_study_open(a, order->order, 0, r->threads, &studies->list[i].study);
        studies->count++;
        SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of windows and panels");
    }
    *study = &studies->list[i].study;
cleanup:
    return status;
}

/* Accumulators of a panel fill the registers of a block of threads: the fewer columns, the taller. */
static uint32_t height_for(int64_t n)
{
    return n >= 96 ? 64 : n >= 48 ? 128 : 256;
}

static enum spmmi_fragment_height height_of(uint32_t unit_rows)
{
    enum spmmi_fragment_height height = SPMMI_FRAGMENT_8;
    while (SPMMI_FRAGMENT_ROWS(height) != unit_rows)
        height++;
    return height;
}

static spmm_schedule_t schedule_for(const struct spmmi_fragment_figures *f, spmm_dtype_t dtype)
{
    const double bytes = (double)spmm_dtype_size(dtype), dense = f->blocks * 64 * bytes;
    const double packed = f->blocks * MAP_BYTES + f->nnz * bytes;
    return packed > PACKED_GAIN * dense ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED;
}

spmm_status_t spmmi_choose_fragment(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                    struct spmmi_fragment_studies *studies, int64_t n,
                                    struct spmmi_fragment_choice *choice, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const spmm_inspect_options_t *o = &r->options;
    const struct spmmi_fragment_study *study = NULL;
    const spmm_reorder_t kind = o->reorder == SPMM_REORDER_AUTO ? SPMM_REORDER_NONE : o->reorder;
    studies->orders.rows = a->rows;
    studies->orders.cols = a->cols;
    studies->orders.row_ptr = a->row_ptr;
    studies->orders.col_ind = a->col_ind;
    studies->orders.threads = r->threads;
    *choice = (struct spmmi_fragment_choice){.family = r->family, .schedule = r->schedule};
    SPMM_TRY(spmmi_row_order_of(&studies->orders, kind, &choice->order, diag));
    SPMM_TRY(study_of(studies, r, a, choice->order, &study, diag));
    choice->panel_rows = r->family == SPMM_FAMILY_WINDOW ? SPMMI_WINDOW_ROWS
                         : o->panel_rows != 0            ? o->panel_rows
                                                         : height_for(n);
    const struct spmmi_fragment_figures *f = &study->figures[height_of(choice->panel_rows)];
    choice->granule = spmmi_fragment_granule(f, r->device.multiprocessors);
    choice->schedule = r->schedule != 0 ? r->schedule : schedule_for(f, o->dtype);
    choice->flags = (choice->order->order != NULL || o->permute_output ? SPMMI_PART_REORDERED : 0u) |
                    (o->permute_output ? SPMMI_PART_PERMUTES_OUTPUT : 0u);
cleanup:
    return status;
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
