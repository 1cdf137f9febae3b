/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the units of a stage: whole rows, grouped to about equal cost, and the pieces of rows that the plan
 * cuts in k. */
#include <string.h>

#include "executor/spgemm/spgemm_stage.h"
#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/spgemm/spgemm_tasks.h"

_Static_assert(sizeof(struct spmmi_spgemm_unit) == SPMMI_SPGEMM_UNIT_BYTES &&
                   sizeof(struct spmmi_spgemm_cut) == SPMMI_SPGEMM_CUT_BYTES,
               "as plans tell it");

/* Output of make_lists. A first pass with NULL arrays only counts, a second pass fills the arrays. */
struct lists {
    struct spmmi_spgemm_unit *units;
    struct spmmi_spgemm_cut *cuts;
    int64_t unit_count, cut_count, whole_count, partials;
    struct spmmi_spgemm_unit rows; /* the unit of whole rows under construction; empty while row = row_end */
    int64_t cost;
};

static int64_t entries_of(const struct spmmi_spgemm_stage *s, int64_t i)
{
    return s->c.row_ptr[i + 1] - s->c.row_ptr[i];
}

static void put_unit(struct lists *lists, struct spmmi_spgemm_unit unit)
{
    if (lists->units != NULL)
        lists->units[lists->unit_count] = unit;
    lists->unit_count++;
}

/* Ends the current unit of whole rows. The next one begins with row `next`. */
static void end_rows(struct lists *lists, int64_t next)
{
    if (lists->rows.row < lists->rows.row_end)
        put_unit(lists, lists->rows);
    lists->rows = (struct spmmi_spgemm_unit){.row = next, .row_end = next, .partial = -1};
    lists->cost = 0;
}

static void cut_row(const struct spmmi_spgemm_stage *s, int64_t i, int64_t piece, struct lists *lists)
{
    struct spmmi_spgemm_cut cut = {.row = i, .partial = lists->partials, .pieces = 0};
    const int64_t last = s->task.left.row_ptr[i + 1];
    int64_t first = s->task.left.row_ptr[i], products = 0;
    end_rows(lists, i + 1);
    for (int64_t p = first; p < last; p++) {
        products += spmmi_spgemm_count_of(s, p);
        if (products < piece && p + 1 < last)
            continue;
        put_unit(lists,
                 (struct spmmi_spgemm_unit){
                     .row = i, .row_end = i + 1, .first = first, .end = p + 1, .partial = lists->partials});
        lists->partials += entries_of(s, i);
        cut.pieces++;
        first = p + 1;
        products = 0;
    }
    if (lists->cuts != NULL)
        lists->cuts[lists->cut_count] = cut;
    lists->cut_count++;
}

/* Makes all units and cuts in one pass over the rows. */
static void make_lists(const struct spmmi_spgemm_stage *s, int64_t unit_cost, struct lists *lists)
{
    lists->unit_count = lists->cut_count = lists->whole_count = lists->partials = lists->cost = 0;
    lists->rows = (struct spmmi_spgemm_unit){.partial = -1};
    for (int64_t i = 0; i < s->task.left.rows; i++) {
        const int64_t products = spmmi_spgemm_products_of(s, i);
        const int64_t piece = spmmi_spgemm_piece(s->piece_products, entries_of(s, i));
        const int is_whole = s->forms != NULL && s->forms[i] != 0;
        lists->whole_count += products > piece && is_whole;
        if (products > piece && !is_whole) {
            cut_row(s, i, piece, lists);
            continue;
        }
        lists->rows.row_end = i + 1;
        lists->cost += products + entries_of(s, i) + 1;
        if (lists->cost >= unit_cost && (s->alike == NULL || s->alike[i] == 1))
            end_rows(lists, i + 1);
    }
    end_rows(lists, s->task.left.rows);
}

static spmm_status_t make_taken(struct spmmi_spgemm_stage *s, uint64_t held, uint64_t budget, uint64_t *bytes,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_csr_pattern *left = &s->task.left;
    const uint64_t nnz = (uint64_t)left->row_ptr[left->rows];
    if (!s->task.is_lower)
        return SPMM_OK;
    *bytes = nnz * sizeof *s->taken;
    SPMM_TRY(spmmi_spgemm_require_bytes(held, *bytes, budget, diag));
    SPMM_TRY_ALLOC(s->taken = spmmi_alloc(nnz, sizeof *s->taken), diag);
    for (int64_t i = 0; i < left->rows; i++)
        for (int64_t p = left->row_ptr[i]; p < left->row_ptr[i + 1]; p++)
            s->taken[p] = (int32_t)spmmi_spgemm_taken(&s->task, i, left->col_ind[p]);
cleanup:
    return status;
}

static void fill_lists(struct spmmi_spgemm_stage *s, struct lists *lists)
{
    make_lists(s, (int64_t)spmmi_spgemm_unit_cost(s->products), lists);
    s->unit_count = lists->unit_count;
    s->cut_count = lists->cut_count;
    s->whole_count = lists->whole_count;
    s->partials = lists->partials;
}

void spmmi_spgemm_units_again(struct spmmi_spgemm_stage *s)
{
    fill_lists(s, &(struct lists){.units = s->units, .cuts = s->cuts});
}

spmm_status_t spmmi_spgemm_units(struct spmmi_spgemm_stage *s, const struct spmmi_spgemm *plan, uint64_t held,
                                 uint64_t budget, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_csr_pattern *left = &s->task.left;
    struct lists lists = {.units = NULL, .cuts = NULL};
    *bytes = 0;
    SPMM_TRY(make_taken(s, held, budget, bytes, diag));
    s->products = 0;
    for (int64_t i = 0; i < left->rows; i++)
        s->products += (uint64_t)spmmi_spgemm_products_of(s, i);
    s->piece_products = plan->piece_products;
    make_lists(s, (int64_t)spmmi_spgemm_unit_cost(s->products), &lists);
    *bytes += (uint64_t)lists.unit_count * sizeof *s->units + (uint64_t)lists.cut_count * sizeof *s->cuts;
    SPMM_TRY(spmmi_spgemm_require_bytes(held, *bytes, budget, diag));
    SPMM_TRY_ALLOC(lists.units = s->units = spmmi_alloc((uint64_t)lists.unit_count, sizeof *s->units), diag);
    SPMM_TRY_ALLOC(lists.cuts = s->cuts = spmmi_alloc((uint64_t)lists.cut_count, sizeof *s->cuts), diag);
    fill_lists(s, &lists);
    s->sums = s->task.right.cols;
    s->has_stretches = (plan->flags & SPMMI_SPGEMM_STRETCHES) != 0;
    s->long_sums =
        s->has_stretches && spmmi_spgemm_longest_row(left->rows, left->row_ptr) > SPMMI_SPGEMM_STRETCH
            ? SPMMI_SPGEMM_LONG_ARRAYS * s->task.right.cols
            : 0;
cleanup:
    return status;
}

void spmmi_spgemm_stage_free(struct spmmi_spgemm_stage *s)
{
    spmmi_free(s->units);
    spmmi_free(s->cuts);
    spmmi_free(s->taken);
    spmmi_free(s->alike);
    spmmi_free(s->follows);
    spmmi_free(s->positions);
    spmmi_free(s->position_at);
    spmmi_free(s->forms);
    memset(s, 0, sizeof *s);
}
