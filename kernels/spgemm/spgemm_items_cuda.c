/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_items.h. Makes the items of all units, in bins. */
#include "spgemm_items.h"

#include <omp.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/team.h"
#include "spgemm_bases.h"
#include "spgemm_drafts.h"
#include "spgemm_joins.h"
#include "spgemm_limits.h"
#include "spgemm_walk.h"

/* State that the threads share. */
struct making {
    const struct spmmi_spgemm_stage *stage;
    int threads;
    struct spmmi_spgemm_items *out;
    uint32_t *cursors; /* of each thread, see cursor_count */
    uint32_t *heads;   /* of each thread, one per column; NULL if no row is pulled */
    int64_t longest;   /* longest row of the left factor, in entries */
    uint64_t host_left;
    struct spmmi_spgemm_alike alike;
    int has_groups;
    const struct spmmi_spgemm_wanted *wanted;
    struct spgemm_choices choices;
    struct spmmi_spgemm_soles soles;
    /* Totals of all units before each unit; unit_count + 1 of them. */
    uint64_t *items_at, *listed_at, *pulls_at, *words_at;
    uint64_t pulled_products;
    struct spgemm_draft *drafts;
    int too_large;
};

/* Returns the number of cursors of a thread: one or more per entry of the longest row of the left factor. */
static uint64_t cursor_count(const struct making *m)
{
    return (m->choices.is_pulled != NULL ? SPMMI_SPGEMM_CURSORS : 1) * (uint64_t)m->longest;
}

/* Walks all units. Without drafts, each unit's counts are stored in the element after it; else its items are
 * written. */
static void walk_units(struct making *m)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    int too_large = 0;
    uint64_t pulled_products = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(spmmi_team(m->threads)) reduction(| : too_large) \
    reduction(+ : pulled_products)
    for (int64_t u = 0; u < s->unit_count; u++) {
        const int64_t thread = omp_get_thread_num();
        uint32_t *const cursors = m->cursors + (uint64_t)thread * cursor_count(m),
                        *const heads = m->heads != NULL ? m->heads + thread * s->task.right.cols : NULL;
        struct spgemm_walk w = {.stage = s,
                                .cursor = cursors,
                                .drafts = m->drafts,
                                .rows = m->out->rows,
                                .lefts = m->out->lefts,
                                .k_count = m->out->k_count,
                                .alike = m->has_groups ? &m->alike : NULL,
                                .has_masks = m->choices.has_masks,
                                .is_pulled = m->choices.is_pulled,
                                .soles = &m->soles,
                                .pulls = {.cursors = cursors, .heads = heads}};
        if (m->drafts != NULL) {
            w.items = m->items_at[u];
            w.listed = m->listed_at[u];
            w.pulls.pulls = m->out->pulls;
            w.pulls.words_at = m->out->words_at;
            w.pulls.words = m->out->words;
            w.pulls.count = m->pulls_at[u];
            w.pulls.word_count = m->words_at[u];
        }
        spmmi_spgemm_walk_unit(&w, &s->units[u]);
        if (m->drafts == NULL) {
            m->items_at[u + 1] = w.items;
            m->listed_at[u + 1] = w.listed;
            m->pulls_at[u + 1] = w.pulls.count;
            m->words_at[u + 1] = w.pulls.word_count;
        }
        too_large |= w.too_large;
        pulled_products += w.pulls.products;
    }
    m->too_large |= too_large;
    m->pulled_products = pulled_products;
}

/* Sets key and size of the streams of a bin. The key holds the count of numbers, their kind and their
 * width. */
static void store_streams(struct making *m, const struct spmmi_spgemm_bin *bin)
{
    struct spmmi_spgemm_streams *to = &m->out->positions;
    const uint64_t width = spmmi_spgemm_stream_width(bin);
    for (uint32_t i = bin->first; i < bin->first + bin->count; i++) {
        const struct spgemm_draft *draft = &m->drafts[i];
        const uint64_t numbers =
            bin->turns > 0 ? SPMMI_SPGEMM_LIST_LENGTH(draft->item.counts) : draft->products;
        to->keys[i] = 8 * numbers + (bin->turns > 0 ? 4 : 0) + width / 2;
        to->units[i] =
            (uint32_t)((numbers * width + SPMMI_SPGEMM_POSITION_UNIT - 1) / SPMMI_SPGEMM_POSITION_UNIT);
    }
}

static spmm_status_t store_items(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_items *out = m->out;
    SPMM_TRY_ALLOC(out->items = spmmi_alloc(out->count, sizeof *out->items), diag);
    SPMM_TRY_ALLOC(out->c_at = spmmi_alloc(out->count, sizeof *out->c_at), diag);
    SPMM_TRY(spmmi_spgemm_streams_make(&out->positions, out->count, diag));
    for (uint32_t i = 0; i < out->count; i++) {
        out->items[i] = m->drafts[i].item;
        out->c_at[i] = m->drafts[i].c_at;
    }
    for (uint32_t b = 0; b < out->bins.count; b++)
        store_streams(m, &out->bins.bin[b]);
    for (uint32_t b = 0; b < out->mask_count; b++)
        store_streams(m, &out->masks[b]);
    for (uint32_t g = 0; g < out->group_count; g++)
        store_streams(m, &out->groups[g].bin);
    SPMM_TRY(spmmi_spgemm_streams_make(&out->pull_streams, out->pull_count, diag));
    for (uint32_t i = 0; i < out->pull_count; i++) {
        out->pull_streams.keys[i] = out->pulls[i].counts;
        out->pull_streams.units[i] = spmmi_spgemm_pull_units(spmmi_spgemm_pull_unpack(out->pulls[i].counts));
    }
cleanup:
    return status;
}

/* Returns true if pulls or masks may be made. They read where rows of the right factor start. */
static int has_starts(const struct making *m)
{
    return m->choices.is_pulled != NULL || m->choices.has_masks;
}

/* Returns the bytes of items including the drafts that sort them, list entries, slices, pulls and their
 * words. */
static uint64_t items_bytes(uint64_t count, uint64_t lists, uint64_t joins, uint64_t pulls, uint64_t words)
{
    const uint64_t of_stream = 10 * sizeof(uint32_t),
                   of_item = 2 * sizeof(struct spgemm_draft) + sizeof(struct spmmi_spgemm_item) + of_stream,
                   of_entry = sizeof(struct spmmi_spgemm_row) + sizeof(uint32_t) + sizeof(uint8_t),
                   of_pull = sizeof(struct spmmi_spgemm_pull) + of_stream;
    return count * of_item + lists * of_entry + joins * sizeof(struct spmmi_spgemm_join) + pulls * of_pull +
           words * sizeof(uint32_t);
}

/* Returns the bytes that pulling needs besides the pulls: flags of rows, lists of each thread, and the arrays
 * that are uploaded for the derivation: the row of each entry of the left factor, and the row pointers of
 * C. */
static uint64_t pulling_bytes(const struct making *m)
{
    const struct spmmi_spgemm_task *task = &m->stage->task;
    const uint64_t rows = (uint64_t)task->left.rows,
                   lists = SPMMI_SPGEMM_CURSORS * (uint64_t)m->longest + (uint64_t)task->right.cols;
    return rows + ((uint64_t)m->threads * lists + (uint64_t)m->out->direct + rows + 1) * sizeof(uint32_t);
}

static void sum_up(uint64_t *counts, uint64_t count)
{
    for (uint64_t u = 1; u < count; u++)
        counts[u] += counts[u - 1];
}

/* Totals of all units. */
struct counted {
    uint64_t items, lists, pulls, words;
};

static uint64_t bytes_of(const struct making *m, const struct counted *all)
{
    const uint64_t counters = 4 * ((uint64_t)m->stage->unit_count + 1) * sizeof(uint64_t);
    const uint64_t bytes =
        counters + items_bytes(all->items, all->lists,
                               spmmi_spgemm_joins_count(m->stage, m->choices.is_pulled, &m->soles),
                               all->pulls, all->words);
    return bytes + m->soles.bytes + (has_starts(m) ? spmmi_spgemm_starts_bytes(m->out->direct) : 0) +
           (m->choices.is_pulled != NULL
                ? pulling_bytes(m) + spmmi_spgemm_pulls_sort_bytes(m->pulled_products)
                : (uint64_t)m->threads * cursor_count(m) * sizeof *m->cursors);
}

/* Allocates the cursors and heads of the threads. */
static spmm_status_t make_cursors(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const uint64_t threads = (uint64_t)m->threads;
    SPMM_TRY_ALLOC(m->cursors = spmmi_alloc(threads * cursor_count(m), sizeof *m->cursors), diag);
    if (m->choices.is_pulled != NULL)
        SPMM_TRY_ALLOC(m->heads =
                           spmmi_alloc_zero(threads * (uint64_t)m->stage->task.right.cols, sizeof *m->heads),
                       diag);
cleanup:
    return status;
}

static void free_cursors(struct making *m)
{
    spmmi_free(m->cursors);
    spmmi_free(m->heads);
    m->cursors = m->heads = NULL;
}

static struct counted count_units(struct making *m)
{
    const uint64_t units = (uint64_t)m->stage->unit_count + 1;
    uint64_t *const counters[] = {m->items_at, m->listed_at, m->pulls_at, m->words_at};
    m->too_large = 0;
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        counters[i][0] = 0;
    walk_units(m);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        sum_up(counters[i], units);
    return (struct counted){m->items_at[units - 1], m->listed_at[units - 1] + m->out->direct,
                            m->pulls_at[units - 1], m->words_at[units - 1]};
}

static int fits(const struct making *m, const struct counted *all)
{
    return bytes_of(m, all) <= m->host_left;
}

static spmm_status_t require_room(const struct making *m, const struct counted *all, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(fits(m, all), SPMM_ERR_PLAN_BUDGET, diag,
                 "the items of a GPU take %llu bytes of the host, %llu are left",
                 (unsigned long long)bytes_of(m, all), (unsigned long long)m->host_left);
cleanup:
    return status;
}

/* Drops what the rule chose, because the host lacks memory for it. So a larger budget is never refused if a
 * smaller one is accepted. */
static void drop_choices(struct making *m)
{
    free_cursors(m);
    spmmi_free(m->choices.is_pulled);
    m->choices = (struct spgemm_choices){NULL, 0};
    m->pulled_products = 0;
}

/* Counts all items. If the host lacks memory, drops what the rule chose, and then the soles. */
static spmm_status_t count_all(struct making *m, struct counted *all, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int may_drop = m->wanted->pulls == SPMMI_SPGEMM_BY_RULE && has_starts(m);
    *all = (struct counted){.items = 0};
    if (may_drop && !fits(m, all))
        drop_choices(m);
    SPMM_TRY(require_room(m, all, diag));
    SPMM_TRY(make_cursors(m, diag));
    *all = count_units(m);
    if (may_drop && has_starts(m) && !fits(m, all)) {
        drop_choices(m);
        SPMM_TRY(make_cursors(m, diag));
        *all = count_units(m);
    }
    if (m->soles.bytes > 0 && !fits(m, all)) {
        spmmi_spgemm_soles_free(&m->soles);
        *all = count_units(m);
    }
cleanup:
    return status;
}

/* Checks the totals and allocates memory for them. */
static spmm_status_t make_room(struct making *m, const struct counted *all, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_items *out = m->out;
    SPMM_REQUIRE(
        !m->too_large && all->lists <= UINT32_MAX && all->items <= INT32_MAX && all->pulls <= INT32_MAX &&
            all->words <= UINT32_MAX,
        SPMM_ERR_TOO_LARGE, diag,
        "the product is too large for a GPU: it has %llu items with %llu list entries and %llu pulls of %llu "
        "words, or one list has more than %u entries",
        (unsigned long long)all->items, (unsigned long long)all->lists, (unsigned long long)all->pulls,
        (unsigned long long)all->words, SPMMI_SPGEMM_LIST_MAX);
    SPMM_TRY(require_room(m, all, diag));
    out->count = (uint32_t)all->items;
    out->listed = (uint32_t)(all->lists - out->direct);
    out->pull_count = (uint32_t)all->pulls;
    out->word_count = all->words;
    SPMM_TRY_ALLOC(out->rows = spmmi_alloc(all->lists, sizeof *out->rows), diag);
    if (has_starts(m))
        SPMM_TRY_ALLOC(out->starts = spmmi_alloc(out->direct, sizeof *out->starts), diag);
    SPMM_TRY_ALLOC(out->lefts = spmmi_alloc(out->listed, sizeof *out->lefts), diag);
    SPMM_TRY_ALLOC(out->pulls = spmmi_alloc(all->pulls, sizeof *out->pulls), diag);
    SPMM_TRY_ALLOC(out->words_at = spmmi_alloc(all->pulls, sizeof *out->words_at), diag);
    SPMM_TRY_ALLOC(out->words = spmmi_alloc(all->words, sizeof *out->words), diag);
    SPMM_TRY_ALLOC(m->drafts = spmmi_alloc(all->items, sizeof *m->drafts), diag);
    if (m->has_groups)
        SPMM_TRY_ALLOC(out->k_count = spmmi_alloc_zero(out->listed, sizeof *out->k_count), diag);
cleanup:
    return status;
}

static void store_starts(const struct making *m)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    struct spmmi_spgemm_items *out = m->out;
    for (int64_t p = 0; p < (int64_t)out->direct; p++)
        out->rows[p] =
            (struct spmmi_spgemm_row){spmmi_spgemm_walk_start(s, p), (uint32_t)spmmi_spgemm_count_of(s, p)};
    for (int64_t p = 0; out->starts != NULL && p < (int64_t)out->direct; p++)
        out->starts[p] = spmmi_spgemm_walk_start(s, p);
}

static spmm_status_t make_items(struct making *m, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_spgemm_stage *s = m->stage;
    struct spmmi_spgemm_items *out = m->out;
    struct counted all;
    const uint64_t units = (uint64_t)s->unit_count + 1;
    SPMM_TRY_ALLOC(m->items_at = spmmi_alloc_zero(units, sizeof *m->items_at), diag);
    SPMM_TRY_ALLOC(m->listed_at = spmmi_alloc_zero(units, sizeof *m->listed_at), diag);
    SPMM_TRY_ALLOC(m->pulls_at = spmmi_alloc_zero(units, sizeof *m->pulls_at), diag);
    SPMM_TRY_ALLOC(m->words_at = spmmi_alloc_zero(units, sizeof *m->words_at), diag);
    SPMM_TRY(count_all(m, &all, diag));
    SPMM_TRY(make_room(m, &all, diag));
    store_starts(m);
    walk_units(m);
    SPMM_REQUIRE(!m->too_large, SPMM_ERR_TOO_LARGE, diag,
                 "a row of the product has more than %u multiplications and is not cut", UINT32_MAX);
    out->are_mostly_pulled = 2 * m->pulled_products > s->products;
    SPMM_TRY(spmmi_spgemm_pulls_sort(out->pulls, out->words_at, out->pull_count, diag));
    SPMM_TRY(spmmi_spgemm_drafts_sort(&m->drafts, m->out, diag));
    out->are_mostly_masked = 2 * spmmi_spgemm_drafts_masked(m->drafts, out) > s->products;
    SPMM_TRY(store_items(m, diag));
    SPMM_TRY(spmmi_spgemm_bases_make(out, m->threads, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_items_make(const struct spmmi_spgemm_stage *s,
                                      const struct spmmi_spgemm_wanted *wanted, int threads,
                                      uint64_t host_left, struct spmmi_spgemm_items *items, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct making m = {.stage = s,
                       .threads = threads,
                       .out = items,
                       .host_left = host_left,
                       .wanted = wanted,
                       .choices = {NULL, wanted->masks == SPMMI_SPGEMM_WHEREVER}};
    memset(items, 0, sizeof *items);
    SPMM_TRY(spmmi_spgemm_require_counts(s, diag));
    items->direct = (uint32_t)s->task.left.row_ptr[s->task.left.rows];
    if (wanted->groups != SPMMI_SPGEMM_NEVER && s->taken == NULL) {
        SPMM_TRY(spmmi_spgemm_alike_make(s, threads, &m.alike, diag));
        m.has_groups = wanted->groups == SPMMI_SPGEMM_WHEREVER || spmmi_spgemm_alike_pays(&m.alike, &s->task);
    }
    m.longest = spmmi_spgemm_longest_row(s->task.left.rows, s->task.left.row_ptr);
    SPMM_REQUIRE(wanted->pulls != SPMMI_SPGEMM_WHEREVER || pulling_bytes(&m) <= host_left,
                 SPMM_ERR_PLAN_BUDGET, diag,
                 "making pulls needs %llu bytes of the host, the budget leaves %llu",
                 (unsigned long long)pulling_bytes(&m), (unsigned long long)host_left);
    if (pulling_bytes(&m) <= host_left)
        SPMM_TRY(spmmi_spgemm_choose(s, wanted, m.has_groups ? &m.alike : NULL, threads, &m.choices, diag));
    SPMM_TRY(spmmi_spgemm_soles_make(s, host_left, &m.soles, diag));
    SPMM_TRY(make_items(&m, diag));
    SPMM_TRY(spmmi_spgemm_joins_make(s, m.choices.is_pulled, &m.soles, items, diag));
    SPMM_REQUIRE(items->join_count == 0 || s->partials <= UINT32_MAX, SPMM_ERR_TOO_LARGE, diag,
                 "a GPU supports at most %u partial sums of pieces, found %lld", UINT32_MAX,
                 (long long)s->partials);
cleanup:
    spmmi_spgemm_alike_free(&m.alike);
    spmmi_spgemm_soles_free(&m.soles);
    free_cursors(&m);
    spmmi_free(m.choices.is_pulled);
    spmmi_free(m.items_at);
    spmmi_free(m.listed_at);
    spmmi_free(m.pulls_at);
    spmmi_free(m.words_at);
    spmmi_free(m.drafts);
    return status;
}

void spmmi_spgemm_items_free(struct spmmi_spgemm_items *items)
{
    spmmi_free(items->items);
    spmmi_free(items->c_at);
    spmmi_spgemm_streams_free(&items->positions);
    spmmi_spgemm_streams_free(&items->pull_streams);
    spmmi_free(items->pulls);
    spmmi_free(items->words_at);
    spmmi_free(items->starts);
    spmmi_free(items->near_starts);
    spmmi_free(items->words);
    spmmi_free(items->rows);
    spmmi_free(items->lefts);
    spmmi_free(items->k_count);
    spmmi_free(items->joins);
    memset(items, 0, sizeof *items);
}
