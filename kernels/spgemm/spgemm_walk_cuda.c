/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_walk.h. */
#include "spgemm_walk.h"

#include "spgemm_choice.h"
#include "spgemm_longs.h"

/* What an item consists of. */
struct spgemm_place {
    uint64_t list, length;
    int64_t c_at, out;
    uint32_t entries;
    int is_listed, is_partial, is_sole;
    int64_t rows; /* rows of a group; 0: no group */
};

/* Returns true if the item has masks. Only whole rows whose list is their row of the left factor have
 * them. */
static int has_masks(const struct spgemm_walk *w, const struct spgemm_place *at)
{
    return w->has_masks && !at->is_partial && !at->is_listed && at->entries <= SPMMI_SPGEMM_MASKED;
}

/* Returns how an item is run, as a part of its key. */
static uint32_t choice_of(const struct spgemm_walk *w, const struct spgemm_place *at,
                          const struct spgemm_tally *tally, struct spgemm_cost *cost)
{
    const enum spgemm_load load = at->is_partial                                       ? LOAD_PIECES
                                  : spmmi_spgemm_cost_is_few(w->stage->task.left.rows) ? LOAD_FEW_ROWS
                                                                                       : LOAD_MANY_ROWS;
    if (at->rows > 0)
        return (LANE_CHOICES - 1) | KEY_GROUP | (at->rows == 3 ? KEY_THREE : 0);
    if (has_masks(w, at))
        return spmmi_spgemm_mask_choice(at->entries) | KEY_MASKED;
    return spmmi_spgemm_cost_of(tally, at->entries, load, cost);
}

/* Adds an item: counts it, or writes its draft. */
static void put_item(struct spgemm_walk *w, const struct spgemm_place *at)
{
    const uint64_t index = w->items++;
    uint64_t products = 0;
    w->too_large |= at->length > SPMMI_SPGEMM_LIST_MAX;
    if (w->drafts == NULL || w->too_large)
        return;
    const struct spmmi_spgemm_row *rows = w->rows + at->list;
    struct spgemm_tally tally = {.length = 0};
    for (uint64_t t = 0; t < at->length; t++) {
        products += rows[t].counts;
        spmmi_spgemm_tally_add(&tally, rows[t].counts);
    }
    w->too_large |= products > UINT32_MAX;
    struct spgemm_cost cost = {.steps = 0};
    w->drafts[index] = (struct spgemm_draft){
        {(uint32_t)at->list, (uint32_t)at->out, 0,
         at->entries | (uint32_t)at->length << SPMMI_SPGEMM_COUNT_BITS},
        (uint32_t)at->c_at,
        choice_of(w, at, &tally, &cost) | (at->is_partial ? KEY_PARTIAL : 0) | (at->is_sole ? KEY_SOLE : 0) |
            (at->is_listed ? KEY_LISTED : 0) | (at->entries > SPMMI_SPGEMM_NARROW ? KEY_WIDE : 0),
        (uint32_t)products,
        0};
    w->drafts[index].steps = cost.taken < UINT32_MAX ? (uint32_t)cost.taken : UINT32_MAX;
}

/* Lists the products of the entries [first, end) of the left factor with columns in [from, column). No cursor
 * is past `from`; a cursor in front of it points to products of long entries, which no item has. */
static void list_until(struct spgemm_walk *w, int64_t first, int64_t end, int32_t from, int32_t column)
{
    const struct spmmi_spgemm_stage *s = w->stage;
    const int32_t *columns = s->task.right.col_ind;
    for (int64_t p = first; p < end; p++) {
        const uint32_t row_end = spmmi_spgemm_walk_start(s, p) + (uint32_t)spmmi_spgemm_count_of(s, p);
        uint32_t begin = w->cursor[p - first];
        while (begin < row_end && columns[begin] < from)
            begin++;
        uint32_t stop = begin;
        while (stop < row_end && columns[stop] < column)
            stop++;
        w->cursor[p - first] = stop;
        if (stop == begin)
            continue;
        if (w->drafts != NULL) {
            const uint64_t direct = (uint64_t)s->task.left.row_ptr[s->task.left.rows];
            w->rows[direct + w->listed] = (struct spmmi_spgemm_row){begin, stop - begin};
            w->lefts[w->listed] = (uint32_t)p;
        }
        w->listed++;
    }
}

/* Makes the items of a row that has too many entries for one item, or long entries, or a list that is too
 * long. Their lists omit rows without products. */
static void walk_listed(struct spgemm_walk *w, int64_t first, int64_t end, int64_t entries,
                        struct spgemm_place at)
{
    const struct spmmi_spgemm_stage *s = w->stage;
    const int64_t direct = s->task.left.row_ptr[s->task.left.rows];
    const int64_t most = spmmi_spgemm_slice_of(entries), c_end = at.c_at + entries;
    for (int64_t p = first; p < end; p++)
        w->cursor[p - first] = spmmi_spgemm_walk_start(s, p);
    at.is_listed = 1;
    const int64_t to_out = at.out - at.c_at;
    const int is_piece = at.is_partial;
    for (int64_t own; (own = spmmi_spgemm_next_slice(s, &at.c_at, c_end, most)) > 0; at.c_at += own) {
        const int64_t next = at.c_at + own;
        const uint64_t before = w->listed;
        const int64_t sole = is_piece ? spmmi_spgemm_sole_piece(w->soles, at.c_at) : -1;
        if (sole >= 0 && sole != first)
            continue;
        at.is_sole = sole >= 0;
        at.is_partial = is_piece && !at.is_sole;
        list_until(w, first, end, s->c.col_ind[at.c_at], next < c_end ? s->c.col_ind[next] : INT32_MAX);
        at.list = (uint64_t)direct + before;
        at.length = w->listed - before;
        at.entries = (uint32_t)own;
        at.out = at.c_at + (at.is_sole ? 0 : to_out);
        put_item(w, &at);
    }
}

/* Makes the items of a row of C, or of a piece of it: the entries [first, end) of the left factor. partial:
 * -1 for a whole row. */
static void walk_row(struct spgemm_walk *w, int64_t row, int64_t first, int64_t end, int64_t partial)
{
    const int64_t *c = w->stage->c.row_ptr;
    const int64_t entries = c[row + 1] - c[row];
    struct spgemm_place at = {.list = (uint64_t)first,
                              .length = (uint64_t)(end - first),
                              .c_at = c[row],
                              .out = partial >= 0 ? partial : c[row],
                              .is_partial = partial >= 0};
    if (entries == 0)
        return;
    at.entries = (uint32_t)entries;
    if (entries <= SPMMI_SPGEMM_ITEM_ENTRIES && at.length <= SPMMI_SPGEMM_LIST_MAX &&
        !spmmi_spgemm_row_is_long(w->stage, row))
        put_item(w, &at);
    else
        walk_listed(w, first, end, entries, at);
}

static void put_entry(struct spgemm_walk *w, uint32_t start, uint32_t length, int64_t p, int64_t k_count)
{
    const uint64_t direct = (uint64_t)w->stage->task.left.row_ptr[w->stage->task.left.rows];
    if (w->drafts != NULL) {
        w->rows[direct + w->listed] = (struct spmmi_spgemm_row){start, length};
        w->lefts[w->listed] = (uint32_t)p;
        w->k_count[w->listed] = (uint8_t)k_count;
    }
    w->listed++;
}

/* Makes the item of a group: `rows` rows of C with one pattern. */
static void walk_group(struct spgemm_walk *w, int64_t row, int64_t rows)
{
    const struct spmmi_spgemm_stage *s = w->stage;
    const int64_t *left = s->task.left.row_ptr, end = left[row + 1], first = s->c.row_ptr[row];
    const uint64_t before = w->listed;
    put_entry(w, (uint32_t)(end - left[row]), 0, left[row], 0);
    for (int64_t p = left[row]; p < end;) {
        const int64_t k_count = spmmi_spgemm_alike_columns(w->alike, &s->task, p, end);
        if (spmmi_spgemm_count_of(s, p) > 0)
            put_entry(w, spmmi_spgemm_walk_start(s, p), (uint32_t)spmmi_spgemm_count_of(s, p), p, k_count);
        p += k_count;
    }
    put_item(w, &(struct spgemm_place){.list = (uint64_t)left[s->task.left.rows] + before,
                                       .length = w->listed - before,
                                       .c_at = first,
                                       .out = first,
                                       .entries = (uint32_t)(s->c.row_ptr[row + 1] - first),
                                       .is_listed = 1,
                                       .rows = rows});
}

/* Handles row i, together with the rows after it that are alike and before `end`. Returns the next row. */
static int64_t walk_rows(struct spgemm_walk *w, int64_t i, int64_t end)
{
    const int64_t *left = w->stage->task.left.row_ptr, *c = w->stage->c.row_ptr;
    const int64_t entries = c[i + 1] - c[i],
                  rows = w->alike != NULL ? spmmi_spgemm_alike_rows(w->alike, i, end) : 1;
    if (rows > 1 && entries > 0 && entries <= SPMMI_SPGEMM_ITEM_ENTRIES) {
        spmmi_spgemm_pulls_end(&w->pulls);
        walk_group(w, i, rows);
        return i + rows;
    }
    if (entries == 0)
        return i + 1;
    if (w->is_pulled != NULL && w->is_pulled[i]) {
        spmmi_spgemm_pulls_row(&w->pulls, w->stage, i);
        return i + 1;
    }
    spmmi_spgemm_pulls_end(&w->pulls);
    walk_row(w, i, left[i], left[i + 1], -1);
    return i + 1;
}

void spmmi_spgemm_walk_unit(struct spgemm_walk *w, const struct spmmi_spgemm_unit *unit)
{
    if (unit->partial >= 0 && w->is_pulled != NULL && w->is_pulled[unit->row]) {
        if (unit->first == w->stage->task.left.row_ptr[unit->row]) /* with all its pieces */
            spmmi_spgemm_pulls_cut_row(&w->pulls, w->stage, unit);
    } else if (unit->partial >= 0) {
        walk_row(w, unit->row, unit->first, unit->end, unit->partial);
    }
    for (int64_t i = unit->row; unit->partial < 0 && i < unit->row_end;)
        i = walk_rows(w, i, unit->row_end);
    spmmi_spgemm_pulls_end(&w->pulls);
}
