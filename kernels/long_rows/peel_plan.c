/* SPDX-License-Identifier: Apache-2.0 */
/* See peel.h. */
#include "peel_plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

#define UNIT_ROWS_MAX 256u
#define US_PER_SECOND 1e6
#define MICROSECOND 1e-6
/* Nonzeros of a block of 8 x 8 that a long row makes alone, at least: one in each column, less where the last block is
 * not full. Where a mean block has fewer, others do not become dense by losing long rows. */
#define LONG_DENSITY 7.0

void spmmi_peels_free(struct spmmi_peels *peels)
{
    for (int i = 0; i < peels->count; i++) {
        spmmi_fragment_study_close(&peels->list[i].study);
        spmmi_free(peels->list[i].rows);
    }
    peels->count = 0;
}

/* ---- Which rows ---- */

static int64_t length_of(const struct spmmi_pattern *a, uint32_t row)
{
    return a->row_ptr[row + 1] - a->row_ptr[row];
}

static uint32_t row_at(const uint32_t *order, int64_t place)
{
    return order != NULL ? order[place] : (uint32_t)place;
}

static int compare_lengths(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Longer rows of the unit of count rows from place on may be peeled. Rows without nonzeros count as others do: among
 * them a single long one is padding too. */
static int64_t bearable_of(const struct spmmi_pattern *a, const uint32_t *order, int64_t place, int64_t count)
{
    int64_t lengths[UNIT_ROWS_MAX], longest = 0;
    for (int64_t i = 0; i < count; i++) {
        lengths[i] = length_of(a, row_at(order, place + i));
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    if (longest < SPMMI_PEEL_LEAST) /* nearly always, and cheaper than a median */
        return longest;
    qsort(lengths, (size_t)count, sizeof *lengths, compare_lengths);
    const int64_t bearable = SPMMI_PEEL_TIMES * lengths[(count - 1) / 2];
    return bearable >= SPMMI_PEEL_LEAST ? bearable : SPMMI_PEEL_LEAST - 1;
}

/* is_long[row] of all rows; returns how many are. */
static uint64_t find_long(const struct spmmi_pattern *a, const uint32_t *order, uint32_t unit_rows,
                          uint8_t *is_long)
{
    uint64_t found = 0;
    for (int64_t place = 0; place < a->rows; place += unit_rows) {
        const int64_t left = a->rows - place, count = left < unit_rows ? left : unit_rows;
        const int64_t bearable = bearable_of(a, order, place, count);
        for (int64_t i = 0; i < count; i++) {
            const uint32_t row = row_at(order, place + i);
            is_long[row] = length_of(a, row) > bearable;
            found += is_long[row];
        }
    }
    return found;
}

/* ---- What is left, and what is peeled ---- */

static spmm_status_t study_others(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                  const uint8_t *is_long, struct spmmi_peel *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_pattern others = *a;
    uint32_t *kept = spmmi_alloc((uint64_t)a->rows - p->count, sizeof *kept);
    int64_t count = 0;
    SPMM_TRY_ALLOC(kept, diag);
    others.nnz = a->nnz - p->nnz;
    others.longest = 0;
    for (int64_t place = 0; place < a->rows; place++) {
        const uint32_t row = row_at(p->order, place);
        if (is_long[row])
            continue;
        kept[count++] = row;
        others.longest = length_of(a, row) > others.longest ? length_of(a, row) : others.longest;
    }
    others.rows = count;
    status = spmmi_fragment_study_open(&others, kept, r->options.dtype, spmmi_fragment_sample(r, a),
                                       r->threads, &p->study);
    SPMM_REQUIRE(status == SPMM_OK, status, diag, "out of memory for the figures of tensor cores");
cleanup:
    spmmi_free(kept);
    return status;
}

static spmm_status_t study_peeled(const struct spmmi_pattern *a, struct spmmi_peel *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int64_t *row_ptr = spmmi_alloc(p->count + 1, sizeof *row_ptr);
    int32_t *col_ind = spmmi_alloc((uint64_t)p->nnz, sizeof *col_ind);
    SPMM_TRY_ALLOC(row_ptr, diag);
    SPMM_TRY_ALLOC(col_ind, diag);
    row_ptr[0] = 0;
    for (uint64_t i = 0; i < p->count; i++) {
        const int64_t length = length_of(a, p->rows[i]);
        memcpy(col_ind + row_ptr[i], a->col_ind + a->row_ptr[p->rows[i]], (size_t)length * sizeof *col_ind);
        row_ptr[i + 1] = row_ptr[i] + length;
    }
    SPMM_TRY(spmmi_model_study((int64_t)p->count, a->cols, row_ptr, col_ind, &p->of_peeled, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

static spmm_status_t peel_make(const struct spmmi_request *r, const struct spmmi_pattern *a,
                               struct spmmi_peel *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t next = 0;
    uint8_t *is_long = spmmi_alloc((uint64_t)a->rows, sizeof *is_long);
    SPMM_TRY_ALLOC(is_long, diag);
    p->count = find_long(a, p->order, p->unit_rows, is_long);
    if (p->count == 0 || p->count == (uint64_t)a->rows)
        goto cleanup;
    SPMM_TRY_ALLOC(p->rows = spmmi_alloc(p->count, sizeof *p->rows), diag);
    for (int64_t row = 0; row < a->rows; row++) {
        if (!is_long[row])
            continue;
        p->rows[next++] = (uint32_t)row;
        p->nnz += length_of(a, (uint32_t)row);
    }
    SPMM_TRY(study_others(r, a, is_long, p, diag));
    SPMM_TRY(study_peeled(a, p, diag));
cleanup:
    spmmi_free(is_long);
    return status;
}

/* Made when it is first asked for. */
static spmm_status_t peel_of(const struct spmmi_request *r, const struct spmmi_pattern *a,
                             struct spmmi_peels *peels, const struct spmmi_fragment_option *option,
                             const struct spmmi_peel **peel, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    int i = 0;
    while (i < peels->count &&
           (peels->list[i].order != option->order || peels->list[i].unit_rows != option->panel_rows))
        i++;
    if (i == peels->count) {
        assert(i < SPMMI_PEELS_MAX);
        peels->list[i] = (struct spmmi_peel){.order = option->order, .unit_rows = option->panel_rows};
        peels->count++;
        SPMM_TRY(peel_make(r, a, &peels->list[i], diag));
    }
    *peel = &peels->list[i];
cleanup:
    return status;
}

/* ---- What it is worth ---- */

/* The kernel of the peeled rows is another launch, and its operands are row-major: what is converted is converted for
 * the other one. The two may run side by side, but neither is counted as hidden. */
static double rows_seconds(const struct spmmi_request *r, const struct spmmi_peel *p, int64_t n)
{
    const spmm_dtype_t dtype = r->options.dtype;
    const struct spmmi_model_candidate rows = {.family = SPMM_FAMILY_ROWS,
                                               .schedule = SPMM_SCHEDULE_NONZERO_SPLIT};
    const struct spmmi_model_constants *constants =
        &r->device.model[spmmi_model_kernel_of(&rows)][spmmi_model_type_of(&rows, dtype)];
    const double alone =
        spmmi_model_predict(&r->device, &p->of_peeled, &rows, n, SPMM_LAYOUT_ROW_MAJOR, dtype).seconds;
    return alone - r->device.launch_s + MICROSECOND * (constants->launch_us - constants->start_us);
}

/* The configuration with the rows peeled. */
static struct spmmi_fragment_option peeled_option(const struct spmmi_request *r,
                                                  const struct spmmi_model_matrix *model, uint32_t layout,
                                                  int64_t n, const struct spmmi_fragment_option *option,
                                                  const struct spmmi_peel *p)
{
    struct spmmi_fragment_option o = *option;
    const enum spmmi_fragment_unit unit = spmmi_fragment_unit_of(o.family, o.panel_rows);
    const struct spmmi_fragment_figures *figures = &p->study.figures[unit];
    o.granule = spmmi_fragment_granule(figures, r->device.multiprocessors);
    o.blocks = figures->blocks;
    o.density = spmmi_fragment_study_fill(&p->study, SPMMI_FRAGMENT_8);
    o.fill = spmmi_fragment_study_fill(&p->study, unit);
    const struct spmmi_fragment_items items = spmmi_fragment_items(&p->study, unit, o.granule);
    const struct spmmi_model_fragments f = {.figures = figures,
                                            .items = items.items,
                                            .partials = items.partials,
                                            .granule = o.granule,
                                            .is_reordered = o.order != NULL};
    const struct spmmi_model_candidate c = {
        .family = o.family, .schedule = o.schedule, .fragments = &f, .compute = r->tensor};
    o.seconds = spmmi_model_predict(&r->device, model, &c, n, layout, r->options.dtype).seconds +
                rows_seconds(r, p, n);
    return o;
}

spmm_status_t spmmi_peel_consider(const struct spmmi_request *r, const struct spmmi_pattern *a,
                                  const struct spmmi_model_matrix *model, uint32_t layout, int64_t n,
                                  const struct spmmi_fragment_choice *choice, struct spmmi_peels *peels,
                                  struct spmmi_peel_choice *result, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const bool is_forced = spmmi_is_fragments(r->family);
    *result = (struct spmmi_peel_choice){.peel = NULL};
    if (r->options.peel == SPMM_PEEL_NONE || r->options.permute_output ||
        spmm_dtype_size(r->options.dtype) == 2)
        goto cleanup;
    for (int i = 0; i < choice->count; i++) {
        const struct spmmi_peel *peel = NULL;
        if (!is_forced && choice->list[i].density < LONG_DENSITY)
            continue;
        SPMM_TRY(peel_of(r, a, peels, &choice->list[i], &peel, diag));
        if (peel->count == 0 || peel->count == (uint64_t)a->rows)
            continue;
        const struct spmmi_fragment_option option =
            peeled_option(r, model, layout, n, &choice->list[i], peel);
        const bool may_win = is_forced || option.fill >= spmmi_fragment_fill_least(option.family);
        if (may_win && (result->peel == NULL || option.seconds < result->option.seconds))
            *result = (struct spmmi_peel_choice){peel, option, choice->list[i].blocks, false};
    }
    const double most = choice->best.family != 0 ? SPMMI_PEEL_WORTH * choice->best.seconds : (double)INFINITY;
    result->pays = result->peel != NULL && result->option.seconds <= most;
cleanup:
    return status;
}

int spmmi_peel_trace(const struct spmmi_request *r, const struct spmmi_peel_choice *c, bool is_taken,
                     struct spmmi_trace list[SPMMI_PEEL_TRACE_MAX])
{
    if (c->peel == NULL)
        return 0;
    list[0] = (struct spmmi_trace){.family = c->option.family,
                                   .schedule = c->option.schedule,
                                   .compute = r->options.dtype == SPMM_F32 ? r->tensor : (spmm_compute_t)0,
                                   .chosen = is_taken && c->pays,
                                   .predicted_us = US_PER_SECOND * c->option.seconds};
    list[1] = list[0];
    list[0].reason = SPMMI_REASON_PEELED;
    list[0].figure = (double)c->peel->count;
    list[0].threshold = (double)c->peel->nnz;
    list[1].reason = SPMMI_REASON_PEELED_BLOCKS;
    list[1].figure = c->option.blocks;
    list[1].threshold = c->blocks;
    return 2;
}

spmm_status_t spmmi_peel_part(const struct spmmi_peel *peel, struct spmmi_part *part,
                              struct spmmi_part *peeled, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = part->item_count;
    uint8_t *is_peeled = spmmi_alloc_zero(rows, sizeof *is_peeled);
    uint64_t kept = 0;
    SPMM_TRY_ALLOC(is_peeled, diag);
    *peeled = (struct spmmi_part){.op = part->op,
                                  .family = SPMM_FAMILY_ROWS,
                                  .schedule = SPMM_SCHEDULE_NONZERO_SPLIT,
                                  .granule = spmmi_choose_granule(SPMM_SCHEDULE_NONZERO_SPLIT),
                                  .item_count = peel->count,
                                  .flags = SPMMI_PART_PEELED};
    SPMM_TRY_ALLOC(peeled->items = spmmi_alloc(peel->count, sizeof *peeled->items), diag);
    memcpy(peeled->items, peel->rows, peel->count * sizeof *peeled->items);
    for (uint64_t i = 0; i < peel->count; i++)
        is_peeled[peel->rows[i]] = 1;
    for (uint64_t i = 0; i < rows; i++) {
        part->items[kept] = part->items[i];
        kept += !is_peeled[part->items[i]];
    }
    part->item_count = kept;
cleanup:
    spmmi_free(is_peeled);
    return status;
}
