/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_pulls.h. */
#include "spgemm_pulls.h"

#include <stdlib.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_longs.h"
#include "spgemm_walk.h"

/* Bits for offsets in a pull of whole rows, whose offsets are all 0, if its runs have words. */
#define WHOLE_BITS 1

static uint32_t bits_of(uint64_t largest)
{
    uint32_t bits = 0;
    while (bits < 63 && largest >> bits != 0)
        bits++;
    return bits;
}

/* Returns the bits for offsets in the rows of the right factor from which row `row` of C is made. */
static uint32_t offset_bits(const struct spmmi_spgemm_stage *s, int64_t row)
{
    int64_t longest = 0;
    for (int64_t p = s->task.left.row_ptr[row]; p < s->task.left.row_ptr[row + 1]; p++) {
        const int64_t count = spmmi_spgemm_count_of(s, p);
        longest = count > longest ? count : longest;
    }
    return bits_of((uint64_t)longest);
}

int spmmi_spgemm_pulls_can(const struct spmmi_spgemm_stage *s, int64_t row)
{
    const int64_t length = s->task.left.row_ptr[row + 1] - s->task.left.row_ptr[row];
    const uint32_t bits = offset_bits(s, row);
    return !spmmi_spgemm_row_is_long(s, row) && length <= (int64_t)SPMMI_SPGEMM_PULL_LONGEST && bits < 32 &&
           bits + bits_of((uint64_t)length) <= 32;
}

static void add_run(struct spgemm_open_pull *o, int64_t p, uint32_t offset, uint32_t length)
{
    o->left[o->runs] = (uint32_t)(p - o->first);
    o->offset[o->runs] = offset;
    o->product[o->runs++] = o->products;
    o->products += length;
}

/* Adds a pull. Returns where its words go; NULL if they are only counted. */
static uint32_t *put_pull(struct spgemm_pulls *to, const struct spgemm_open_pull *o,
                          struct spmmi_spgemm_pull_counts counts)
{
    const uint64_t at = to->word_count;
    to->word_count += spmmi_spgemm_pull_words(counts);
    if (to->pulls != NULL) {
        to->pulls[to->count] = (struct spmmi_spgemm_pull){(uint32_t)o->first, (uint32_t)o->out, 0,
                                                          spmmi_spgemm_pull_pack(counts)};
        to->words_at[to->count] = (uint32_t)at;
    }
    to->count++;
    to->products += counts.products;
    return to->pulls != NULL ? to->words + at : NULL;
}

/* Writes the words for pieces. words: the words of the runs, by ascending entry of the left factor. */
static void put_pieces(const struct spgemm_open_pull *o, const uint32_t *words, uint32_t runs, uint32_t *out)
{
    out[0] = o->piece_count;
    for (uint32_t r = 0; r < runs; r++) {
        const uint32_t is_next =
            r > 0 && o->pieces[words[r] >> o->bits] != o->pieces[words[r - 1] >> o->bits];
        out[1 + r / 32] = (r % 32 > 0 ? out[1 + r / 32] : 0) | is_next << r % 32;
    }
}

void spmmi_spgemm_pulls_end(struct spgemm_pulls *to)
{
    struct spgemm_open_pull *o = &to->open;
    if (o->entries == 0)
        return;
    uint32_t *const words = put_pull(
        to, o,
        (struct spmmi_spgemm_pull_counts){o->entries, o->bits, o->products, o->runs, o->pieces != NULL});
    const uint32_t head = o->entries == 1 ? 0 : (o->products + 31) / 32 * 2;
    for (uint32_t w = 0; words != NULL && w < head; w++)
        words[w] = 0;
    for (uint32_t r = 0; words != NULL && r < o->runs; r++) {
        if (head > 0)
            words[o->product[r] / 32] |= 1u << o->product[r] % 32;
        if (o->bits > 0)
            words[head + r] = o->left[r] << o->bits | o->offset[r];
    }
    if (words != NULL && o->pieces != NULL)
        put_pieces(o, words + head, o->runs, words + head + o->runs);
    o->entries = 0;
}

/* Returns how full a pull with this many products and runs is; SPMMI_SPGEMM_PULL means full. */
static uint64_t load_of(uint64_t products, uint64_t runs)
{
    const uint64_t of_runs = runs * SPMMI_SPGEMM_PULL / SPMMI_SPGEMM_PULL_RUNS;
    return products > of_runs ? products : of_runs;
}

/* Adds a row with few products to the pull under construction if there is room, else to a new one. */
static void add_whole(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row,
                      uint64_t products, uint64_t runs)
{
    const int64_t *c = s->c.row_ptr, *left = s->task.left.row_ptr;
    struct spgemm_open_pull *o = &to->open;
    if (o->entries > 0 && load_of(o->products + products, o->runs + runs) > SPMMI_SPGEMM_PULL)
        spmmi_spgemm_pulls_end(to);
    if (o->entries == 0) {
        o->first = left[row];
        o->out = c[row];
        o->bits = 0;
        o->pieces = NULL;
        o->products = o->runs = 0;
    }
    for (int64_t p = left[row]; p < left[row + 1]; p++) {
        const uint32_t count = (uint32_t)spmmi_spgemm_count_of(s, p);
        if (count == 0)
            continue;
        if (p - o->first > o->runs) /* entries without products are in front of this one */
            o->bits = WHOLE_BITS;
        add_run(o, p, 0, count);
    }
    o->entries += (uint32_t)(c[row + 1] - c[row]);
}

/* A row that is pulled part by part. Its entries of the left factor are in lists, one per column of their
 * next product. So each product is looked at once, regardless of the number of parts. Entries are counted
 * from 1; 0 ends a list. */
struct parts {
    const struct spmmi_spgemm_stage *stage;
    int64_t first;   /* first entry of the left factor */
    uint32_t *heads; /* for each column, the first entry of its list */
    /* For each entry of the left factor: the entry after it in its list; its next product; its first product
     * of this part. */
    uint32_t *behind, *cursors, *begins;
    int64_t c_at, c_end; /* remaining entries of C */
    uint32_t bits;
    uint32_t taken[SPMMI_SPGEMM_PULL_RUNS], runs,
        products; /* taken: entries of the left factor in this part, in no order */
};

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t offset_of(const struct parts *a, uint32_t t, uint32_t product)
{
    return product - spmmi_spgemm_walk_start(a->stage, a->first + t);
}

/* Adds entry t to the list of the column of its next product, if there is one. */
static void enlist(struct parts *a, uint32_t t)
{
    const struct spmmi_spgemm_stage *s = a->stage;
    const int64_t p = a->first + t;
    if (offset_of(a, t, a->cursors[t]) >= (uint64_t)spmmi_spgemm_count_of(s, p))
        return;
    uint32_t *const head = &a->heads[s->task.right.col_ind[a->cursors[t]]];
    a->behind[t] = *head;
    *head = t + 1;
}

/* Returns the number of products that an entry of C adds to the part. *runs: how many of them begin a new
 * run. */
static uint32_t count_entry(const struct parts *a, int32_t column, uint32_t *runs)
{
    uint32_t products = 0;
    *runs = 0;
    for (uint32_t next = a->heads[column]; next != 0; next = a->behind[next - 1]) {
        products++;
        *runs += a->cursors[next - 1] == a->begins[next - 1];
    }
    return products;
}

static void take_entry(struct parts *a, int32_t column)
{
    uint32_t next = a->heads[column];
    a->heads[column] = 0;
    while (next != 0) {
        const uint32_t t = next - 1;
        next = a->behind[t];
        if (a->cursors[t]++ == a->begins[t])
            a->taken[a->runs++] = t;
        a->products++;
        enlist(a, t);
    }
}

/* Makes a pull of one entry of C, regardless of its number of products. */
static void put_one(struct spgemm_pulls *to, struct parts *a, uint32_t products)
{
    uint32_t *const head = &a->heads[a->stage->c.col_ind[a->c_at]], next = *head;
    const struct spgemm_open_pull *o = &to->open;
    uint32_t *const words =
        put_pull(to, o, (struct spmmi_spgemm_pull_counts){1, a->bits, products, products, o->pieces != NULL});
    *head = 0;
    for (uint32_t i = 0; next != 0; i++) {
        const uint32_t t = next - 1, at = a->cursors[t]++;
        next = a->behind[t];
        a->begins[t] = at + 1;
        if (words != NULL)
            words[i] = t << a->bits | offset_of(a, t, at);
        enlist(a, t);
    }
    if (words != NULL)
        qsort(words, products, sizeof *words, ascending); /* by entry of the left factor, in the high bits */
    if (words != NULL && o->pieces != NULL)
        put_pieces(o, words, products, words + products);
}

/* Makes a pull of the entries that were taken, with runs by ascending k. */
static void put_part(struct spgemm_pulls *to, struct parts *a, uint32_t entries)
{
    struct spgemm_open_pull *o = &to->open;
    o->entries = entries;
    o->products = o->runs = 0;
    qsort(a->taken, a->runs, sizeof *a->taken, ascending);
    for (uint32_t r = 0; r < a->runs; r++) {
        const uint32_t t = a->taken[r], begin = a->begins[t];
        add_run(o, a->first + t, offset_of(a, t, begin), a->cursors[t] - begin);
        a->begins[t] = a->cursors[t];
    }
    spmmi_spgemm_pulls_end(to);
}

/* Makes the next pull of as many entries as fill it, but at least of one. */
static void take_part(struct spgemm_pulls *to, struct parts *a)
{
    const int32_t *c = a->stage->c.col_ind;
    uint32_t entries = 0, products = 0, runs = 0;
    to->open.first = a->first;
    to->open.out = a->c_at;
    to->open.bits = a->bits;
    a->runs = a->products = 0;
    for (; a->c_at + entries < a->c_end; entries++) {
        products = count_entry(a, c[a->c_at + entries], &runs);
        if (load_of(a->products + (uint64_t)products, a->runs + (uint64_t)runs) > SPMMI_SPGEMM_PULL)
            break;
        take_entry(a, c[a->c_at + entries]);
    }
    if (entries > 0)
        put_part(to, a, entries);
    else
        put_one(to, a, products);
    a->c_at += entries > 0 ? entries : 1;
}

/* Makes the pulls of a row, part by part. pieces: piece of each entry of the left factor; NULL if the row is
 * not cut. */
static void add_parts(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row,
                      const uint32_t *pieces, uint32_t piece_count)
{
    const int64_t first = s->task.left.row_ptr[row], length = s->task.left.row_ptr[row + 1] - first;
    struct parts a = {.stage = s,
                      .first = first,
                      .heads = to->heads,
                      .behind = to->cursors,
                      .cursors = to->cursors + length,
                      .begins = to->cursors + 2 * length,
                      .c_at = s->c.row_ptr[row],
                      .c_end = s->c.row_ptr[row + 1],
                      .bits = offset_bits(s, row)};
    for (uint32_t t = 0; t < length; t++) {
        a.cursors[t] = a.begins[t] = spmmi_spgemm_walk_start(s, first + t);
        enlist(&a, t);
    }
    to->open.pieces = pieces;
    to->open.piece_count = piece_count;
    while (a.c_at < a.c_end)
        take_part(to, &a);
}

void spmmi_spgemm_pulls_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row)
{
    uint64_t products = 0, runs = 0;
    for (int64_t p = s->task.left.row_ptr[row]; p < s->task.left.row_ptr[row + 1]; p++) {
        products += (uint64_t)spmmi_spgemm_count_of(s, p);
        runs += spmmi_spgemm_count_of(s, p) > 0;
    }
    if (load_of(products, runs) <= SPMMI_SPGEMM_PULL) {
        add_whole(to, s, row, products, runs);
        return;
    }
    spmmi_spgemm_pulls_end(to);
    add_parts(to, s, row, NULL, 0);
}

void spmmi_spgemm_pulls_cut_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s,
                                const struct spmmi_spgemm_unit *piece)
{
    const int64_t row = piece->row, first = s->task.left.row_ptr[row], end = s->task.left.row_ptr[row + 1];
    uint32_t *const pieces = to->cursors + (SPMMI_SPGEMM_CURSORS - 1) * (end - first);
    uint32_t count = 0;
    for (int64_t p = first; p < end; p++) {
        count += p == piece[count].end;
        pieces[p - first] = count;
    }
    spmmi_spgemm_pulls_end(to);
    add_parts(to, s, row, pieces, count + 1);
}

struct placed {
    struct spmmi_spgemm_pull pull;
    uint32_t words_at;
};

static uint32_t products_of(const struct spmmi_spgemm_pull *pull)
{
    return spmmi_spgemm_pull_unpack(pull->counts).products;
}

static int by_products(const void *a, const void *b)
{
    const struct spmmi_spgemm_pull *x = &((const struct placed *)a)->pull,
                                   *y = &((const struct placed *)b)->pull;
    if (products_of(x) != products_of(y))
        return products_of(x) > products_of(y) ? -1 : 1;
    return x->out < y->out ? -1 : 1;
}

uint64_t spmmi_spgemm_pulls_sort_bytes(uint64_t products)
{
    return products / (SPMMI_SPGEMM_PULL + 1) * sizeof(struct placed);
}

spmm_status_t spmmi_spgemm_pulls_sort(struct spmmi_spgemm_pull *pulls, uint32_t *words_at, uint32_t count,
                                      spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct placed *longer = NULL;
    uint32_t long_count = 0, to = count;
    for (uint32_t i = 0; i < count; i++)
        long_count += products_of(&pulls[i]) > SPMMI_SPGEMM_PULL;
    SPMM_TRY_ALLOC(longer = spmmi_alloc(long_count, sizeof *longer), diag);
    for (uint32_t i = count, l = 0; i-- > 0;)
        if (products_of(&pulls[i]) > SPMMI_SPGEMM_PULL) {
            longer[l++] = (struct placed){pulls[i], words_at[i]};
        } else {
            pulls[--to] = pulls[i];
            words_at[to] = words_at[i];
        }
    if (long_count > 0)
        qsort(longer, long_count, sizeof *longer, by_products);
    for (uint32_t l = 0; l < long_count; l++) {
        pulls[l] = longer[l].pull;
        words_at[l] = longer[l].words_at;
    }
cleanup:
    spmmi_free(longer);
    return status;
}
