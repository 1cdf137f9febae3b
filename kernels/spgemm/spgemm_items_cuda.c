/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_items.h. Units are walked twice: items and list entries are counted, then written. */
#include "spgemm_items.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"

/* Items of a GPU of 132 multiprocessors that all run at once, 64 on each: with fewer rows than this, groups of few
 * lanes leave multiprocessors without work. Measured on an H200. */
#define ROWS_FEW 8448
/* Lanes that a step of a group costs beside its own, with many and with few rows. */
#define STEP_LANES 16
#define STEP_LANES_FEW 64

#define LANE_CHOICES 4 /* 4, 8, 16, 32 lanes */

/* Bits of a key: items of one are a bin. Higher ones run first: what takes longest. */
#define KEY_PARTIAL LANE_CHOICES
#define KEY_LISTED (2 * KEY_PARTIAL)
#define KEY_WIDE (2 * KEY_LISTED)
#define KEYS (2 * KEY_WIDE)

struct draft {
    struct spmmi_spgemm_item item;
    uint32_t c_at, key, products;
};

/* One thread's way through units. */
struct walk {
    const struct spmmi_spgemm_stage *stage;
    uint32_t *cursor;     /* of each entry of a row of the left factor: the first product not yet listed */
    struct draft *drafts; /* NULL: only counts, as in rows and value_of */
    struct spmmi_spgemm_row *rows;
    uint32_t *value_of;
    uint64_t items, listed; /* so far, of the units before too */
    int too_large;
};

static int64_t count_of(const struct spmmi_spgemm_stage *s, int64_t p)
{
    const int64_t k = s->task.left.col_ind[p];
    return s->taken != NULL ? s->taken[p] : s->task.right.row_ptr[k + 1] - s->task.right.row_ptr[k];
}

static uint32_t start_of(const struct spmmi_spgemm_stage *s, int64_t p)
{
    return (uint32_t)s->task.right.row_ptr[s->task.left.col_ind[p]];
}

/* The smallest group that takes few steps: each costs its lanes and some more. */
static uint32_t choose_lanes(const struct spmmi_spgemm_row *rows, uint32_t length, uint32_t entries,
                             int has_few_rows)
{
    uint64_t steps[LANE_CHOICES] = {0}, best = UINT64_MAX;
    uint32_t choice = LANE_CHOICES - 1;
    for (uint32_t t = 0; t < length; t++)
        for (uint32_t g = 0; g < LANE_CHOICES; g++)
            steps[g] += (rows[t].length + (4u << g) - 1) >> (2 + g);
    for (uint32_t g = LANE_CHOICES; g-- > 0 && entries <= (uint32_t)SPMMI_SPGEMM_LANE_SUMS * (4u << g);) {
        const uint64_t cost = steps[g] * ((4u << g) + (has_few_rows ? STEP_LANES_FEW : STEP_LANES));
        if (cost < best) {
            best = cost;
            choice = g;
        }
    }
    return choice;
}

/* Where an item is and what it makes. */
struct place {
    uint64_t list, length;
    int64_t c_at, out;
    uint32_t entries;
    int is_listed, is_partial;
};

static void put_item(struct walk *w, const struct place *at)
{
    const uint64_t index = w->items++;
    uint64_t products = 0;
    w->too_large |= at->length > SPMMI_SPGEMM_LIST_MAX;
    if (w->drafts == NULL || w->too_large)
        return;
    const struct spmmi_spgemm_row *rows = w->rows + at->list;
    for (uint64_t t = 0; t < at->length; t++)
        products += rows[t].length;
    w->too_large |= products > UINT32_MAX;
    const uint32_t length = (uint32_t)at->length,
                   lanes = choose_lanes(rows, length, at->entries, w->stage->task.left.rows < ROWS_FEW);
    w->drafts[index] = (struct draft){
        {(uint32_t)at->list, (uint32_t)at->out, 0, at->entries | length << SPMMI_SPGEMM_COUNT_BITS},
        (uint32_t)at->c_at,
        lanes | (at->is_partial ? KEY_PARTIAL : 0) | (at->is_listed ? KEY_LISTED : 0) |
            (at->entries > SPMMI_SPGEMM_NARROW ? KEY_WIDE : 0),
        (uint32_t)products};
}

/* Lists what entries [first, end) of the left factor multiply of columns before this one, from the cursors on. */
static void list_until(struct walk *w, int64_t first, int64_t end, int32_t column)
{
    const struct spmmi_spgemm_stage *s = w->stage;
    const int32_t *columns = s->task.right.col_ind;
    for (int64_t p = first; p < end; p++) {
        const uint32_t begin = w->cursor[p - first], row_end = start_of(s, p) + (uint32_t)count_of(s, p);
        uint32_t stop = begin;
        while (stop < row_end && columns[stop] < column)
            stop++;
        w->cursor[p - first] = stop;
        if (stop == begin)
            continue;
        if (w->drafts != NULL) {
            const uint64_t direct = (uint64_t)s->task.left.row_ptr[s->task.left.rows];
            w->rows[direct + w->listed] = (struct spmmi_spgemm_row){begin, stop - begin};
            w->value_of[w->listed] = (uint32_t)p;
        }
        w->listed++;
    }
}

/* Items of a row that has too many entries for one, or too long a list with rows of no product in it. */
static void walk_listed(struct walk *w, int64_t first, int64_t end, int64_t entries, struct place at)
{
    const struct spmmi_spgemm_stage *s = w->stage;
    const int64_t direct = s->task.left.row_ptr[s->task.left.rows];
    const int64_t parts = (entries + SPMMI_SPGEMM_ITEM_ENTRIES - 1) / SPMMI_SPGEMM_ITEM_ENTRIES,
                  most = (entries + parts - 1) / parts, c_end = at.c_at + entries;
    for (int64_t p = first; p < end; p++)
        w->cursor[p - first] = start_of(s, p);
    at.is_listed = 1;
    while (at.c_at < c_end) {
        const int64_t next = at.c_at + most < c_end ? at.c_at + most : c_end;
        const uint64_t before = w->listed;
        list_until(w, first, end, next < c_end ? s->c.col_ind[next] : INT32_MAX);
        at.list = (uint64_t)direct + before;
        at.length = w->listed - before;
        at.entries = (uint32_t)(next - at.c_at);
        put_item(w, &at);
        at.out += next - at.c_at;
        at.c_at = next;
    }
}

/* A row of C, or a piece of k of it: entries [first, end) of the left factor. partial: -1 of a whole row. */
static void walk_row(struct walk *w, int64_t row, int64_t first, int64_t end, int64_t partial)
{
    const int64_t *c = w->stage->c.row_ptr;
    const int64_t entries = c[row + 1] - c[row];
    struct place at = {.list = (uint64_t)first,
                       .length = (uint64_t)(end - first),
                       .c_at = c[row],
                       .out = partial >= 0 ? partial : c[row],
                       .is_partial = partial >= 0};
    if (entries == 0)
        return;
    at.entries = (uint32_t)entries;
    if (entries <= SPMMI_SPGEMM_ITEM_ENTRIES && at.length <= SPMMI_SPGEMM_LIST_MAX)
        put_item(w, &at);
    else
        walk_listed(w, first, end, entries, at);
}

static void walk_unit(struct walk *w, const struct spmmi_spgemm_unit *unit)
{
    const int64_t *left = w->stage->task.left.row_ptr;
    if (unit->partial >= 0)
        walk_row(w, unit->row, unit->first, unit->end, unit->partial);
    for (int64_t i = unit->row; unit->partial < 0 && i < unit->row_end; i++)
        walk_row(w, i, left[i], left[i + 1], -1);
}

/* What the threads share. */
struct making {
    const struct spmmi_spgemm_stage *stage;
    int threads;
    struct spmmi_spgemm_items *out;
    uint32_t *cursors;
    int64_t longest; /* row of the left factor */
    uint64_t host_left;
    uint64_t *items_at, *listed_at; /* before each unit; unit_count + 1 */
    struct draft *drafts;
    int too_large;
};

/* All units: their counts into what is behind them, or their items. */
static void walk_units(struct making *m)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    int too_large = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(spmmi_team(m->threads)) reduction(| : too_large)
    for (int64_t u = 0; u < s->unit_count; u++) {
        struct walk w = {.stage = s,
                         .cursor = m->cursors + omp_get_thread_num() * m->longest,
                         .drafts = m->drafts,
                         .rows = m->out->rows,
                         .value_of = m->out->value_of};
        if (m->drafts != NULL) {
            w.items = m->items_at[u];
            w.listed = m->listed_at[u];
        }
        walk_unit(&w, &s->units[u]);
        if (m->drafts == NULL) {
            m->items_at[u + 1] = w.items;
            m->listed_at[u + 1] = w.listed;
        }
        too_large |= w.too_large;
    }
    m->too_large |= too_large;
}

static int by_products(const void *a, const void *b)
{
    const struct draft *x = a, *y = b;
    if (x->products != y->products)
        return x->products > y->products ? -1 : 1;
    return x->item.out < y->item.out ? -1 : 1; /* of one bin: outs differ */
}

/* Bins by descending key; items by row, which keeps rows of the right factor in the caches, wide ones by products. */
static spmm_status_t sort_items(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_items *out = m->out;
    uint64_t at[KEYS] = {0}, first = 0, blocks = 0;
    struct draft *sorted = NULL;
    for (uint32_t i = 0; i < out->count; i++)
        at[m->drafts[i].key]++;
    for (uint32_t key = KEYS; key-- > 0;) {
        const uint32_t lanes = 4u << key % LANE_CHOICES;
        const uint64_t count = at[key];
        if (count > 0)
            out->bins.bin[out->bins.count++] = (struct spmmi_spgemm_bin){
                (uint32_t)blocks, (uint32_t)first,         (uint32_t)count,         (uint8_t)lanes,
                key < KEY_WIDE,   (key & KEY_LISTED) != 0, (key & KEY_PARTIAL) != 0};
        at[key] = first;
        first += count;
        blocks += (count * lanes + SPMMI_SPGEMM_THREADS - 1) / SPMMI_SPGEMM_THREADS;
    }
    SPMM_REQUIRE(blocks <= INT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "the product needs %llu thread blocks, a GPU runs %d", (unsigned long long)blocks,
                 INT32_MAX);
    out->bins.blocks = (uint32_t)blocks;
    SPMM_TRY_ALLOC(sorted = spmmi_alloc(out->count, sizeof *sorted), diag);
    for (uint32_t i = 0; i < out->count; i++)
        sorted[at[m->drafts[i].key]++] = m->drafts[i];
    for (uint32_t b = 0; b < out->bins.count && !out->bins.bin[b].is_narrow; b++)
        qsort(sorted + out->bins.bin[b].first, out->bins.bin[b].count, sizeof *sorted, by_products);
    spmmi_free(m->drafts);
    m->drafts = sorted;
cleanup:
    return status;
}

static spmm_status_t store_items(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_items *out = m->out;
    SPMM_TRY_ALLOC(out->items = spmmi_alloc(out->count, sizeof *out->items), diag);
    SPMM_TRY_ALLOC(out->c_at = spmmi_alloc(out->count, sizeof *out->c_at), diag);
    SPMM_TRY_ALLOC(out->products = spmmi_alloc(out->count, sizeof *out->products), diag);
    for (uint32_t i = 0; i < out->count; i++) {
        out->items[i] = m->drafts[i].item;
        out->c_at[i] = m->drafts[i].c_at;
        out->products[i] = m->drafts[i].products;
    }
cleanup:
    return status;
}

/* Bytes of so many items, with those that sort them, and list entries. */
static uint64_t items_bytes(uint64_t count, uint64_t lists)
{
    const uint64_t of_item =
                       2 * sizeof(struct draft) + sizeof(struct spmmi_spgemm_item) + 8 * sizeof(uint32_t),
                   of_entry = sizeof(struct spmmi_spgemm_row) + sizeof(uint32_t);
    return count * of_item + lists * of_entry;
}

static spmm_status_t make_items(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_stage *s = m->stage;
    struct spmmi_spgemm_items *out = m->out;
    for (int64_t i = 0; i < s->task.left.rows; i++) {
        const int64_t length = s->task.left.row_ptr[i + 1] - s->task.left.row_ptr[i];
        m->longest = length > m->longest ? length : m->longest;
    }
    const uint64_t units = (uint64_t)s->unit_count + 1;
    SPMM_TRY_ALLOC(m->cursors = spmmi_alloc((uint64_t)m->threads * (uint64_t)m->longest, sizeof *m->cursors),
                   diag);
    SPMM_TRY_ALLOC(m->items_at = spmmi_alloc_zero(units, sizeof *m->items_at), diag);
    SPMM_TRY_ALLOC(m->listed_at = spmmi_alloc_zero(units, sizeof *m->listed_at), diag);
    walk_units(m);
    for (uint64_t u = 1; u < units; u++) {
        m->items_at[u] += m->items_at[u - 1];
        m->listed_at[u] += m->listed_at[u - 1];
    }
    const uint64_t lists = m->listed_at[units - 1] + out->direct, count = m->items_at[units - 1];
    SPMM_REQUIRE(!m->too_large && lists <= UINT32_MAX && count <= INT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "the product is too large for a GPU: %llu items with lists of %llu, or a list of over %u",
                 (unsigned long long)count, (unsigned long long)lists, SPMMI_SPGEMM_LIST_MAX);
    const uint64_t bytes = items_bytes(count, lists);
    SPMM_REQUIRE(bytes <= m->host_left, SPMM_ERR_PLAN_BUDGET, diag,
                 "the items of a GPU take %llu bytes of the host, %llu are left", (unsigned long long)bytes,
                 (unsigned long long)m->host_left);
    out->count = (uint32_t)count;
    out->listed = (uint32_t)(lists - out->direct);
    SPMM_TRY_ALLOC(out->rows = spmmi_alloc(lists, sizeof *out->rows), diag);
    SPMM_TRY_ALLOC(out->value_of = spmmi_alloc(out->listed, sizeof *out->value_of), diag);
    SPMM_TRY_ALLOC(m->drafts = spmmi_alloc(count, sizeof *m->drafts), diag);
    for (int64_t p = 0; p < (int64_t)out->direct; p++)
        out->rows[p] = (struct spmmi_spgemm_row){start_of(s, p), (uint32_t)count_of(s, p)};
    walk_units(m);
    SPMM_REQUIRE(!m->too_large, SPMM_ERR_TOO_LARGE, diag,
                 "a row of the product has more than %u multiplications and is not cut", UINT32_MAX);
    SPMM_TRY(sort_items(m, diag));
    SPMM_TRY(store_items(m, diag));
cleanup:
    return status;
}

/* Slices of the rows that are cut in k. */
static spmm_status_t make_joins(const struct spmmi_spgemm_stage *s, struct spmmi_spgemm_items *out,
                                spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t slice = SPMMI_SPGEMM_JOIN_ENTRIES, *c = s->c.row_ptr;
    uint64_t count = 0;
    for (int64_t r = 0; r < s->cut_count; r++)
        count += (uint64_t)((c[s->cuts[r].row + 1] - c[s->cuts[r].row] + slice - 1) / slice);
    SPMM_TRY_ALLOC(out->joins = spmmi_alloc(count, sizeof *out->joins), diag);
    for (int64_t r = 0; r < s->cut_count; r++) {
        const struct spmmi_spgemm_cut *cut = &s->cuts[r];
        const int64_t first = c[cut->row], entries = c[cut->row + 1] - first;
        for (int64_t e = 0; e < entries; e += slice)
            out->joins[out->join_count++] =
                (struct spmmi_spgemm_join){(uint32_t)(first + e), (uint32_t)(cut->partial + e),
                                           (uint32_t)(entries - e < slice ? entries - e : slice),
                                           (uint32_t)entries, (uint32_t)cut->pieces};
    }
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_items_make(const struct spmmi_spgemm_stage *s, int threads, uint64_t host_left,
                                      struct spmmi_spgemm_items *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int64_t left = s->task.left.row_ptr[s->task.left.rows],
                  right = s->task.right.row_ptr[s->task.right.rows], c = s->c.row_ptr[s->task.left.rows];
    struct making m = {.stage = s, .threads = threads, .out = items, .host_left = host_left};
    memset(items, 0, sizeof *items);
    SPMM_REQUIRE(left <= INT32_MAX && right <= INT32_MAX && c <= INT32_MAX && s->partials <= UINT32_MAX,
                 SPMM_ERR_TOO_LARGE, diag,
                 "a GPU takes factors and products of up to %d entries, found %lld and %lld, of the product "
                 "%lld and %lld of its pieces",
                 INT32_MAX, (long long)left, (long long)right, (long long)c, (long long)s->partials);
    items->direct = (uint32_t)left;
    SPMM_TRY(make_items(&m, diag));
    SPMM_TRY(make_joins(s, items, diag));
cleanup:
    spmmi_free(m.cursors);
    spmmi_free(m.items_at);
    spmmi_free(m.listed_at);
    spmmi_free(m.drafts);
    return status;
}

void spmmi_spgemm_items_free(struct spmmi_spgemm_items *items)
{
    spmmi_free(items->items);
    spmmi_free(items->c_at);
    spmmi_free(items->products);
    spmmi_free(items->rows);
    spmmi_free(items->value_of);
    spmmi_free(items->joins);
    memset(items, 0, sizeof *items);
}
