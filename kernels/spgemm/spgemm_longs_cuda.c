/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the long entries of a stage for a GPU: lists of their products, in stretches. Rows are walked twice:
 * to count long entries and their products, and to write them. */
#include "spgemm_longs.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"

#define MARK \
    0x80000000u /* flag of a column with a long entry; other bits: a count, or the entry's number in a row */

_Static_assert(sizeof(struct spmmi_spgemm_long) + 2 * (sizeof(struct spmmi_spgemm_stretch) + 4) +
                       SPMMI_SPGEMM_RANGE_BYTES + 4 <=
                   SPMMI_SPGEMM_LONG_BYTES,
               "as plans tell it");

struct making {
    const struct spmmi_spgemm_stage *stage;
    struct spmmi_spgemm_longs *out;
    int has_all;                        /* see spmmi_spgemm_longs_make */
    uint32_t *counts;                   /* per column; 0 between rows */
    uint32_t most;                      /* maximum products of an entry without a list, in this row */
    uint64_t entries, words, stretches; /* totals; stretches: upper bound */
};

/* A row of C with its pieces. A row that is not cut has one piece. */
struct row {
    int64_t row;
    const struct spmmi_spgemm_unit *pieces;
    int64_t piece_count;
    uint64_t first; /* index of its first long entry */
};

typedef void (*visit_fn)(struct making *m, const struct row *r, int64_t p, int64_t q);

static void each_product(struct making *m, const struct row *r, const struct spmmi_spgemm_unit *piece,
                         visit_fn visit)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    for (int64_t p = piece->first; p < piece->end; p++) {
        const int64_t k = s->task.left.col_ind[p], first = s->task.right.row_ptr[k],
                      end = s->taken != NULL ? first + s->taken[p] : s->task.right.row_ptr[k + 1];
        for (int64_t q = first; q < end; q++)
            visit(m, r, p, q);
    }
}

static uint32_t *count_at(struct making *m, int64_t q)
{
    return &m->counts[m->stage->task.right.col_ind[q]];
}

/* Counts a product for its column, and marks the column once the count exceeds m->most. */
static void count(struct making *m, const struct row *r, int64_t p, int64_t q)
{
    uint32_t *const at = count_at(m, q);
    (void)r, (void)p;
    *at = (*at + 1) | ((*at & ~MARK) == m->most ? MARK : 0);
}

/* Resets the count of a column, but keeps its mark. */
static void forget(struct making *m, const struct row *r, int64_t p, int64_t q)
{
    (void)r, (void)p;
    *count_at(m, q) &= MARK;
}

static struct spmmi_spgemm_long *long_at(struct making *m, const struct row *r, int64_t q)
{
    const uint32_t at = *count_at(m, q);
    return (at & MARK) != 0 ? &m->out->entries[r->first + (at & ~MARK)] : NULL;
}

static void count_words(struct making *m, const struct row *r, int64_t p, int64_t q)
{
    (void)r, (void)p;
    m->words += (*count_at(m, q) & MARK) != 0;
}

static void count_words_of_entry(struct making *m, const struct row *r, int64_t p, int64_t q)
{
    struct spmmi_spgemm_long *const entry = long_at(m, r, q);
    (void)p;
    if (entry != NULL)
        entry->products++;
}

static void put_word(struct making *m, const struct row *r, int64_t p, int64_t q)
{
    struct spmmi_spgemm_long *const entry = long_at(m, r, q);
    if (entry != NULL)
        m->out->words[entry->word + entry->products++] = (struct spmmi_spgemm_word){(uint32_t)p, (uint32_t)q};
}

static void all_pieces(struct making *m, const struct row *r, visit_fn visit)
{
    for (int64_t i = 0; i < r->piece_count; i++)
        each_product(m, r, &r->pieces[i], visit);
}

/* Cuts an entry, whose words are written, into stretches: each ends with its piece, or at
 * SPMMI_SPGEMM_STRETCH products. Until the stretches are sorted, their member `first` is an entry of the left
 * factor, not a word. */
static void cut_entry(struct making *m, const struct row *r, struct spmmi_spgemm_long *entry)
{
    struct spmmi_spgemm_longs *out = m->out;
    const struct spmmi_spgemm_word *words = out->words + entry->word;
    int64_t piece = 0, with_products = 0;
    entry->first = (uint32_t)out->stretch_count;
    for (uint32_t i = 0, count = 0; i < entry->products; i += count) {
        const int is_first = i == 0 || words[i].left >= r->pieces[piece].end;
        while (words[i].left >= r->pieces[piece].end)
            piece++;
        with_products += is_first;
        for (count = 1; count < SPMMI_SPGEMM_STRETCH && i + count < entry->products &&
                        words[i + count].left < r->pieces[piece].end;)
            count++;
        out->stretches[out->stretch_count++] =
            (struct spmmi_spgemm_stretch){words[i].left, count | (is_first ? SPMMI_SPGEMM_BEGINS : 0)};
    }
    entry->count = (uint32_t)out->stretch_count - entry->first;
    entry->has_gaps = with_products < r->piece_count;
}

/* Writes the long entries of a row, whose columns are marked. */
static void write_row(struct making *m, struct row *r)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    struct spmmi_spgemm_longs *out = m->out;
    r->first = out->count;
    for (int64_t q = s->c.row_ptr[r->row]; q < s->c.row_ptr[r->row + 1]; q++) {
        uint32_t *const at = &m->counts[s->c.col_ind[q]];
        if ((*at & MARK) == 0)
            continue;
        *at = MARK | (uint32_t)(out->count - r->first);
        out->entries[out->count++] = (struct spmmi_spgemm_long){.out = (uint32_t)q};
    }
    all_pieces(m, r, count_words_of_entry);
    for (uint64_t e = r->first; e < out->count; e++) {
        out->entries[e].word = out->word_count;
        out->word_count += out->entries[e].products;
        out->entries[e].products = 0;
    }
    all_pieces(m, r, put_word);
    for (uint64_t e = r->first; e < out->count; e++)
        cut_entry(m, r, &out->entries[e]);
}

/* Returns true if this row also gets lists that are shorter than a stretch: C has so many entries in the row
 * that its pieces have many products. */
static int has_wide_pieces(const struct spmmi_spgemm_stage *s, int64_t row)
{
    const int64_t entries = s->c.row_ptr[row + 1] - s->c.row_ptr[row];
    return (uint64_t)entries * SPMMI_SPGEMM_PIECE_ENTRIES > s->piece_products;
}

/* Adds what `entries` long entries of a row need. */
static void count_row(struct making *m, const struct row *r, uint64_t entries)
{
    const uint64_t words = m->words;
    all_pieces(m, r, count_words);
    m->stretches += (m->words - words) / SPMMI_SPGEMM_STRETCH + entries * (uint64_t)r->piece_count;
}

/* Counts or writes the long entries of a row. */
static void walk_row(struct making *m, struct row *r)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const uint64_t entries = m->entries;
    const int has_short = m->has_all && has_wide_pieces(s, r->row);
    const int64_t shortest = has_short ? SPMMI_SPGEMM_LONG_LENGTH : SPMMI_SPGEMM_STRETCH;
    int is_any = 0;
    m->most = has_short ? SPMMI_SPGEMM_LONG_PRODUCTS : SPMMI_SPGEMM_STRETCH;
    for (int64_t i = 0; i < r->piece_count; i++) {
        const struct spmmi_spgemm_unit *piece = &r->pieces[i];
        if (piece->end - piece->first <= shortest)
            continue;
        is_any = 1;
        each_product(m, r, piece, count);
        each_product(m, r, piece, forget);
    }
    for (int64_t q = s->c.row_ptr[r->row]; is_any && q < s->c.row_ptr[r->row + 1]; q++)
        m->entries += (m->counts[s->c.col_ind[q]] & MARK) != 0;
    if (m->entries == entries)
        return;
    if (m->out->entries != NULL)
        write_row(m, r);
    else
        count_row(m, r, m->entries - entries);
    for (int64_t q = s->c.row_ptr[r->row]; q < s->c.row_ptr[r->row + 1]; q++)
        m->counts[s->c.col_ind[q]] = 0;
}

static void walk(struct making *m)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const int64_t *left = s->task.left.row_ptr;
    const struct spmmi_spgemm_cut *cut = s->cuts;
    for (int64_t u = 0; u < s->unit_count;) {
        const struct spmmi_spgemm_unit *unit = &s->units[u];
        for (int64_t i = unit->row; unit->partial < 0 && i < unit->row_end; i++) {
            const struct spmmi_spgemm_unit all = {.first = left[i], .end = left[i + 1]};
            walk_row(m, &(struct row){i, &all, 1, 0});
        }
        if (unit->partial >= 0)
            walk_row(m, &(struct row){unit->row, unit, cut->pieces, 0});
        u += unit->partial >= 0 ? cut++->pieces : 1;
    }
}

static uint32_t length_of(const struct spmmi_spgemm_stretch *stretch)
{
    return stretch->count & ~SPMMI_SPGEMM_BEGINS;
}

/* Orders two stretches of equal length by where they begin in the left factor; `first` still says that. */
static int is_before(const struct spmmi_spgemm_stretch *stretches, uint32_t x, uint32_t y)
{
    const uint32_t of_x = stretches[x].first, of_y = stretches[y].first;
    return of_x < of_y || (of_x == of_y && x < y);
}

/* Restores a heap, in which no stretch is ordered before its children, if only the root may violate this. */
static void sift(const struct spmmi_spgemm_stretch *stretches, uint32_t *heap, uint64_t root, uint64_t count)
{
    const uint32_t sifted = heap[root];
    for (uint64_t next = 2 * root + 1; next < count; next = 2 * root + 1) {
        next += next + 1 < count && is_before(stretches, heap[next], heap[next + 1]);
        if (!is_before(stretches, sifted, heap[next]))
            break;
        heap[root] = heap[next];
        root = next;
    }
    heap[root] = sifted;
}

/* Heapsort: needs no memory, which qsort may allocate. */
static void sort_by_left(const struct spmmi_spgemm_stretch *stretches, uint32_t *order, uint64_t count)
{
    for (uint64_t root = count / 2; root-- > 0;)
        sift(stretches, order, root, count);
    for (uint64_t end = count; end-- > 1;) {
        const uint32_t last = order[0];
        order[0] = order[end];
        order[end] = last;
        sift(stretches, order, 0, end);
    }
}

/* Sorts the stretches by length, so that the stretches of a block end together. Stretches of equal length are
 * ordered by where they begin in the left factor, so that neighbours read the same values. */
static void sort_stretches(struct spmmi_spgemm_longs *longs)
{
    /* For each length, the next index, after longer and placed ones. */
    uint32_t next[SPMMI_SPGEMM_STRETCH + 2] = {0};
    const struct spmmi_spgemm_stretch *const stretches = longs->stretches;
    for (uint32_t i = 0; i < longs->stretch_count; i++)
        next[length_of(&stretches[i]) - 1]++;
    for (uint32_t l = SPMMI_SPGEMM_STRETCH; l-- > 0;)
        next[l] += next[l + 1];
    for (uint32_t i = 0; i < longs->stretch_count; i++)
        longs->order[next[length_of(&stretches[i])]++] = i;
    for (uint32_t l = SPMMI_SPGEMM_STRETCH; l > 0; l--)
        sort_by_left(stretches, longs->order + next[l + 1], next[l] - next[l + 1]);
}

/* Sets `first` of each stretch to its first word. The words of stretches follow each other. */
static void place_stretches(struct spmmi_spgemm_longs *longs)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < longs->stretch_count; i++) {
        longs->stretches[i].first = word;
        word += length_of(&longs->stretches[i]);
    }
}

static spmm_status_t make_room(struct making *m, uint64_t bytes_max, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_longs *out = m->out;
    *bytes = m->entries * sizeof *out->entries +
             m->stretches * (sizeof *out->stretches + sizeof *out->order) + m->words * sizeof *out->words;
    SPMM_REQUIRE(*bytes <= bytes_max, SPMM_ERR_PLAN_BUDGET, diag,
                 "entries of many products take %llu bytes of the host, %llu are left",
                 (unsigned long long)*bytes, (unsigned long long)bytes_max);
    SPMM_REQUIRE(m->words <= UINT32_MAX && m->stretches <= UINT32_MAX && m->entries <= INT32_MAX,
                 SPMM_ERR_TOO_LARGE, diag, "a GPU takes up to %u products of long entries, found %llu",
                 UINT32_MAX, (unsigned long long)m->words);
    SPMM_TRY_ALLOC(out->entries = spmmi_alloc(m->entries, sizeof *out->entries), diag);
    SPMM_TRY_ALLOC(out->stretches = spmmi_alloc(m->stretches, sizeof *out->stretches), diag);
    SPMM_TRY_ALLOC(out->order = spmmi_alloc(m->stretches, sizeof *out->order), diag);
    SPMM_TRY_ALLOC(out->words = spmmi_alloc(m->words, sizeof *out->words), diag);
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_longs_make(const struct spmmi_spgemm_stage *s, int has_all, uint64_t bytes_max,
                                      struct spmmi_spgemm_longs *longs, uint64_t *bytes, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct making m = {.stage = s, .out = longs, .has_all = has_all};
    const uint64_t columns = (uint64_t)s->task.right.cols;
    *bytes = 0;
    if (s->long_sums == 0)
        return SPMM_OK;
    SPMM_REQUIRE(columns * sizeof *m.counts <= bytes_max, SPMM_ERR_PLAN_BUDGET, diag,
                 "to count the products of entries takes %llu bytes of the host, %llu are left",
                 (unsigned long long)(columns * sizeof *m.counts), (unsigned long long)bytes_max);
    SPMM_TRY_ALLOC(m.counts = spmmi_alloc_zero(columns, sizeof *m.counts), diag);
    walk(&m);
    if (m.entries > 0) {
        SPMM_TRY(make_room(&m, bytes_max - columns * sizeof *m.counts, bytes, diag));
        walk(&m);
        sort_stretches(longs);
        place_stretches(longs);
    }
cleanup:
    spmmi_free(m.counts);
    return status;
}

void spmmi_spgemm_longs_free(struct spmmi_spgemm_longs *longs)
{
    spmmi_free(longs->entries);
    spmmi_free(longs->stretches);
    spmmi_free(longs->order);
    spmmi_free(longs->words);
    memset(longs, 0, sizeof *longs);
}
