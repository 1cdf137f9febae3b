/* SPDX-License-Identifier: Apache-2.0 */
/* See long_rows_plan.h. */
#include "long_rows_plan.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "kernels/rows/rows_plan.h"

#define UNIT_ROWS_MAX 256u
#define MICROSECOND 1e-6
/* Least nonzeros per block of 8 x 8 of a part whose long rows may be split off. A block that only a long row
 * fills has one nonzero per column, 8, or fewer if it is the last. If the mean block has fewer, removing long
 * rows does not make the other blocks denser. */
#define LONG_DENSITY 7.0
#define LONG_ROWS_PRUNING_FACTOR 3.0 /* largest speed-up that is assumed for splitting rows off */

/* All splits that were considered for one op: heights 8, 64, 128 and 256 in each permutation. */
#define SPLITS_MAX (4 * SPMMI_PERMUTATION_KINDS)
struct splits {
    struct spmmi_long_rows_split list[SPLITS_MAX];
    int count;
};

static void close_splits(void *memory)
{
    struct splits *const all = memory;
    for (int i = 0; i < all->count; i++) {
        if (all->list[i].left != NULL)
            all->list[i].close_left(all->list[i].left);
        spmmi_free(all->list[i].rows);
    }
}

/* ---- Which rows ---- */

static int64_t length_of(const struct spmmi_pattern *a, uint32_t row)
{
    return a->row_ptr[row + 1] - a->row_ptr[row];
}

static uint32_t row_at(const uint32_t *permutation, int64_t position)
{
    return permutation != NULL ? permutation[position] : (uint32_t)position;
}

static int compare_lengths(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Returns the limit for `count` rows from position on: longer rows may be split off. Rows without nonzeros
 * count like others, because a single long row among them is padding too. */
static int64_t bearable_of(const struct spmmi_pattern *a, const uint32_t *permutation, int64_t position,
                           int64_t count)
{
    int64_t lengths[UNIT_ROWS_MAX], longest = 0;
    for (int64_t i = 0; i < count; i++) {
        lengths[i] = length_of(a, row_at(permutation, position + i));
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    if (longest < SPMMI_LONG_ROWS_MIN) /* nearly always, and cheaper than a median */
        return longest;
    qsort(lengths, (size_t)count, sizeof *lengths, compare_lengths);
    const int64_t bearable = SPMMI_LONG_ROWS_TIMES * lengths[(count - 1) / 2];
    return bearable >= SPMMI_LONG_ROWS_MIN ? bearable : SPMMI_LONG_ROWS_MIN - 1;
}

/* Sets is_long[row] for all rows. Returns how many rows are long. */
static uint64_t find_long(const struct spmmi_pattern *a, const uint32_t *permutation, uint32_t unit_rows,
                          uint8_t *is_long)
{
    uint64_t found = 0;
    for (int64_t position = 0; position < a->rows; position += unit_rows) {
        const int64_t left = a->rows - position, count = left < unit_rows ? left : unit_rows;
        const int64_t bearable = bearable_of(a, permutation, position, count);
        for (int64_t i = 0; i < count; i++) {
            const uint32_t row = row_at(permutation, position + i);
            is_long[row] = length_of(a, row) > bearable;
            found += is_long[row];
        }
    }
    return found;
}

/* ---- What is left, and what is split off ---- */

static spmm_status_t analysis_others(const struct spmmi_search *s, const uint8_t *is_long,
                                     spmmi_analysis_left_fn *analysis, struct spmmi_long_rows_split *p,
                                     spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    struct spmmi_pattern others = *a;
    uint32_t *kept = spmmi_alloc((uint64_t)a->rows - p->count, sizeof *kept);
    int64_t count = 0;
    SPMM_TRY_ALLOC(kept, diag);
    others.nnz = a->nnz - p->nnz;
    others.longest = 0;
    for (int64_t position = 0; position < a->rows; position++) {
        const uint32_t row = row_at(p->permutation, position);
        if (is_long[row])
            continue;
        kept[count++] = row;
        others.longest = length_of(a, row) > others.longest ? length_of(a, row) : others.longest;
    }
    others.rows = count;
    SPMM_TRY(analysis(s, &others, kept, p, diag));
cleanup:
    spmmi_free(kept);
    return status;
}

static spmm_status_t analysis_long_rows(const struct spmmi_pattern *a, struct spmmi_long_rows_split *p,
                                        spmm_diag_t *diag)
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
    SPMM_TRY(spmmi_model_analysis((int64_t)p->count, a->cols, row_ptr, col_ind, &p->of_long_rows, diag));
cleanup:
    spmmi_free(col_ind);
    spmmi_free(row_ptr);
    return status;
}

static spmm_status_t split_make(const struct spmmi_search *s, spmmi_analysis_left_fn *analysis,
                                struct spmmi_long_rows_split *p, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_pattern *const a = s->pattern;
    uint64_t next = 0;
    uint8_t *is_long = spmmi_alloc((uint64_t)a->rows, sizeof *is_long);
    SPMM_TRY_ALLOC(is_long, diag);
    p->count = find_long(a, p->permutation, p->unit_rows, is_long);
    if (p->count == 0 || p->count == (uint64_t)a->rows)
        goto cleanup;
    SPMM_TRY_ALLOC(p->rows = spmmi_alloc(p->count, sizeof *p->rows), diag);
    for (int64_t row = 0; row < a->rows; row++) {
        if (!is_long[row])
            continue;
        p->rows[next++] = (uint32_t)row;
        p->nnz += length_of(a, (uint32_t)row);
    }
    SPMM_TRY(analysis_others(s, is_long, analysis, p, diag));
    SPMM_TRY(analysis_long_rows(a, p, diag));
cleanup:
    spmmi_free(is_long);
    return status;
}

spmm_status_t spmmi_long_rows_split_of(const struct spmmi_search *s, const uint32_t *permutation,
                                       uint32_t unit_rows, spmmi_analysis_left_fn *analysis,
                                       const struct spmmi_long_rows_split **split, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct splits *all = spmmi_search_cache(s, "long rows", sizeof *all, close_splits);
    int i = 0;
    SPMM_TRY_ALLOC(all, diag);
    while (i < all->count && (all->list[i].permutation != permutation ||
                              all->list[i].unit_rows != unit_rows || all->list[i].analysis != analysis))
        i++;
    if (i == all->count) {
        SPMM_REQUIRE(i < SPLITS_MAX, SPMM_ERR_INTERNAL, diag, "more than %d kinds of units", SPLITS_MAX);
        all->list[i] = (struct spmmi_long_rows_split){
            .permutation = permutation, .unit_rows = unit_rows, .analysis = analysis};
        all->count++;
        SPMM_TRY(split_make(s, analysis, &all->list[i], diag));
    }
    *split = &all->list[i];
cleanup:
    return status;
}

/* ---- Predicted gain ---- */

bool spmmi_long_rows_split_may_pay(const struct spmmi_search *s, const struct spmmi_candidate *leader,
                                   double density)
{
    const spmm_inspect_options_t *const o = &s->request->options;
    if (s->request->tcblock.long_rows == SPMM_LONG_ROWS_KEEP || o->permute_output ||
        !spmmi_family_of(leader->family)->takes_long_rows)
        return false;
    return spmmi_is_forced(s) ||
           (density >= LONG_DENSITY && leader->weighed <= LONG_ROWS_PRUNING_FACTOR * s->best);
}

/* Returns the kernel of the long rows: the schedule of the first family that may cut rows anywhere. */
static struct spmmi_model_candidate rows_kernel(void)
{
    struct spmmi_model_candidate c = {.family = spmmi_family_at(0)->id};
    for (int i = 0; spmmi_schedule_at(i) != NULL; i++)
        if (spmmi_schedule_at(i)->family == c.family &&
            spmmi_schedule_at(i)->items == SPMMI_ITEMS_NONZERO_SPLIT)
            c.schedule = spmmi_schedule_at(i)->id;
    return c;
}

/* The long rows are another launch, with row-major operands: the other launch has the cost of conversions.
 * The two may overlap, but the prediction adds both. */
double spmmi_long_rows_split_seconds(const struct spmmi_search *s, const struct spmmi_long_rows_split *p)
{
    const struct spmmi_device_profile *const d = &s->request->device;
    const spmm_dtype_t dtype = s->request->options.a_type;
    const struct spmmi_model_candidate rows = rows_kernel();
    const enum spmmi_model_type type = spmmi_model_type_of(rows.family, (spmm_compute_t)0, dtype);
    const struct spmmi_model_constants *const constants =
        &d->model[spmmi_profile_kernel(d, rows.family, rows.schedule, type)][type];
    const double alone =
        spmmi_predict(d, &p->of_long_rows, &rows, s->n, SPMM_LAYOUTS_ROW_MAJOR, dtype).seconds;
    return alone - d->launch_s + MICROSECOND * (constants->launch_us - constants->start_us);
}

spmm_status_t spmmi_long_rows_split_part(const struct spmmi_long_rows_split *split, struct spmmi_part *part,
                                         struct spmmi_part *long_rows, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t rows = part->item_count;
    uint8_t *is_long_rows = spmmi_alloc_zero(rows, sizeof *is_long_rows);
    uint64_t kept = 0;
    const struct spmmi_model_candidate kernel = rows_kernel();
    SPMM_TRY_ALLOC(is_long_rows, diag);
    *long_rows = (struct spmmi_part){.op = part->op,
                                     .family = kernel.family,
                                     .schedule = kernel.schedule,
                                     .item_size = SPMMI_ROWS_ITEM_SIZE,
                                     .item_count = split->count,
                                     .flags = SPMMI_PART_LONG_ROWS};
    SPMM_TRY_ALLOC(long_rows->items = spmmi_alloc(split->count, sizeof *long_rows->items), diag);
    memcpy(long_rows->items, split->rows, split->count * sizeof *long_rows->items);
    for (uint64_t i = 0; i < split->count; i++)
        is_long_rows[split->rows[i]] = 1;
    for (uint64_t i = 0; i < rows; i++) {
        part->items[kept] = part->items[i];
        kept += !is_long_rows[part->items[i]];
    }
    part->item_count = kept;
cleanup:
    spmmi_free(is_long_rows);
    return status;
}
