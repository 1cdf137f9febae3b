/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_pulls.h. */
#include "spgemm_pulls.h"

#include <stdlib.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_walk.h"

/* Of offsets where runs are whole rows: that of a run is SPMMI_SPGEMM_PULL less the product that it begins with. */
#define WHOLE_BITS 9
/* What a part is planned to take that had too many runs, of SPMMI_SPGEMM_PULL: rows are not even. */
#define PLANNED 240

static uint32_t bits_of(uint64_t largest)
{
    uint32_t bits = 0;
    while (bits < 63 && largest >> bits != 0)
        bits++;
    return bits;
}

/* Bits for offsets in what a row of C is made of. */
static uint32_t offset_bits(const struct spmmi_spgemm_stage *s, int64_t row)
{
    int64_t longest = 0;
    for (int64_t p = s->task.left.row_ptr[row]; p < s->task.left.row_ptr[row + 1]; p++) {
        const int64_t count = spmmi_spgemm_walk_count(s, p);
        longest = count > longest ? count : longest;
    }
    return bits_of((uint64_t)longest + SPMMI_SPGEMM_PULL);
}

int spmmi_spgemm_pulls_can(const struct spmmi_spgemm_stage *s, int64_t row)
{
    const int64_t length = s->task.left.row_ptr[row + 1] - s->task.left.row_ptr[row];
    const uint32_t bits = offset_bits(s, row);
    return length <= (int64_t)SPMMI_SPGEMM_PULL_LONGEST && bits < 32 &&
           bits + bits_of((uint64_t)length) <= 32;
}

static void add_run(struct spgemm_open_pull *o, int64_t p, uint32_t offset, uint32_t length)
{
    o->left[o->runs] = (uint32_t)(p - o->first);
    o->offset[o->runs] = offset;
    o->product[o->runs++] = o->products;
    o->products += length;
}

/* Its words; NULL where they are only counted. */
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

void spmmi_spgemm_pulls_end(struct spgemm_pulls *to)
{
    struct spgemm_open_pull *o = &to->open;
    if (o->entries == 0)
        return;
    uint32_t *const words =
        put_pull(to, o, (struct spmmi_spgemm_pull_counts){o->entries, o->bits, o->products, o->runs});
    const uint32_t head = o->entries == 1 ? 0 : (o->products + 31) / 32 * 2;
    for (uint32_t w = 0; words != NULL && w < head; w++)
        words[w] = 0;
    for (uint32_t r = 0; words != NULL && r < o->runs; r++) {
        const uint32_t product = o->product[r],
                       offset = o->offset[r] + (head > 0 ? SPMMI_SPGEMM_PULL - product : 0);
        if (head > 0)
            words[product / 32] |= 1u << product % 32;
        words[head + r] = o->left[r] << o->bits | offset;
    }
    o->entries = 0;
}

/* What an open pull of so many products and runs takes, of SPMMI_SPGEMM_PULL. */
static uint64_t load_of(uint64_t products, uint64_t runs)
{
    const uint64_t of_runs = runs * SPMMI_SPGEMM_PULL / SPMMI_SPGEMM_PULL_RUNS;
    return products > of_runs ? products : of_runs;
}

/* A row with few products, to those before it if there is room. */
static void add_whole(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row,
                      uint64_t products, uint64_t runs)
{
    const int64_t *c = s->c.row_ptr, *left = s->task.left.row_ptr;
    struct spgemm_open_pull *o = &to->open;
    if (o->entries > 0 && (load_of(o->products + products, o->runs + runs) > SPMMI_SPGEMM_PULL ||
                           left[row + 1] - o->first >= INT64_C(1) << (32 - WHOLE_BITS)))
        spmmi_spgemm_pulls_end(to);
    if (o->entries == 0) {
        o->first = left[row];
        o->out = c[row];
        o->bits = WHOLE_BITS;
        o->products = o->runs = 0;
    }
    for (int64_t p = left[row]; p < left[row + 1]; p++) {
        const uint32_t count = (uint32_t)spmmi_spgemm_walk_count(s, p);
        if (count > 0)
            add_run(o, p, 0, count);
    }
    o->entries += (uint32_t)(c[row + 1] - c[row]);
}

/* A row that is taken part by part. */
struct parts {
    const struct spmmi_spgemm_stage *stage;
    int64_t first, length; /* entries of the left factor */
    /* of each of them: the first product not yet taken, and behind a part; the row of the right factor */
    uint32_t *cursors, *ahead, *starts, *ends;
    uint32_t *counts;    /* of each column, its products */
    int64_t c_at, c_end; /* entries of C that are left */
    uint32_t bits;
};

/* As many entries as fill a pull with their products, one at least. */
static int64_t next_entries(const struct parts *a)
{
    const int32_t *c = a->stage->c.col_ind;
    uint64_t products = 0;
    int64_t q = a->c_at;
    for (; q < a->c_end && q - a->c_at < SPMMI_SPGEMM_PULL; q++) {
        products += a->counts[c[q]];
        if (products > SPMMI_SPGEMM_PULL)
            break;
    }
    return q > a->c_at ? q - a->c_at : 1;
}

/* The products of so many entries, to the open pull as long as it has room. Returns what they all take. */
static uint64_t find_part(const struct parts *a, int64_t entries, struct spgemm_open_pull *o)
{
    const struct spmmi_spgemm_stage *s = a->stage;
    const int32_t *columns = s->task.right.col_ind;
    const int32_t end = a->c_at + entries < a->c_end ? s->c.col_ind[a->c_at + entries] : INT32_MAX;
    uint64_t products = 0, runs = 0;
    o->products = o->runs = 0;
    for (int64_t t = 0; t < a->length; t++) {
        const uint32_t begin = a->cursors[t], row_end = a->ends[t];
        uint32_t stop = begin;
        while (stop < row_end && columns[stop] < end)
            stop++;
        a->ahead[t] = stop;
        products += stop - begin;
        runs += stop > begin;
        if (stop > begin && load_of(products, runs) <= SPMMI_SPGEMM_PULL)
            add_run(o, a->first + t, begin - a->starts[t], stop - begin);
    }
    return load_of(products, runs);
}

/* One entry of C, whatever products it has: the next one of each entry of the left factor that has this column. */
static void put_one(struct spgemm_pulls *to, const struct parts *a)
{
    const int32_t *columns = a->stage->task.right.col_ind, column = a->stage->c.col_ind[a->c_at];
    const uint32_t products = a->counts[column];
    uint32_t *words =
        put_pull(to, &to->open, (struct spmmi_spgemm_pull_counts){1, a->bits, products, products});
    for (int64_t t = 0; t < a->length; t++) {
        const uint32_t at = a->cursors[t];
        const int is_taken = at < a->ends[t] && columns[at] == column;
        if (words != NULL && is_taken)
            *words++ = (uint32_t)t << a->bits | (at - a->starts[t]);
        a->ahead[t] = at + (uint32_t)is_taken;
    }
}

/* The next part; returns how many entries it has. */
static int64_t take_part(struct spgemm_pulls *to, const struct parts *a)
{
    struct spgemm_open_pull *o = &to->open;
    int64_t most = next_entries(a);
    o->first = a->first;
    o->out = a->c_at;
    o->bits = a->bits;
    for (uint64_t load; most > 1 && (load = find_part(a, most, o)) > SPMMI_SPGEMM_PULL;)
        most = most * PLANNED / (int64_t)load;
    if (most <= 1) {
        put_one(to, a);
        return 1;
    }
    o->entries = (uint32_t)most;
    spmmi_spgemm_pulls_end(to);
    return most;
}

/* Rows of the right factor, and the products of columns. */
static void begin_parts(const struct parts *a)
{
    const struct spmmi_spgemm_stage *s = a->stage;
    for (int64_t t = 0; t < a->length; t++) {
        a->cursors[t] = a->starts[t] = spmmi_spgemm_walk_start(s, a->first + t);
        a->ends[t] = a->starts[t] + (uint32_t)spmmi_spgemm_walk_count(s, a->first + t);
        for (uint32_t q = a->starts[t]; q < a->ends[t]; q++)
            a->counts[s->task.right.col_ind[q]]++;
    }
}

static void add_parts(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row)
{
    const int64_t first = s->task.left.row_ptr[row], length = s->task.left.row_ptr[row + 1] - first;
    struct parts a = {.stage = s,
                      .first = first,
                      .length = length,
                      .cursors = to->cursors,
                      .ahead = to->cursors + length,
                      .starts = to->cursors + 2 * length,
                      .ends = to->cursors + 3 * length,
                      .counts = to->counts,
                      .c_at = s->c.row_ptr[row],
                      .c_end = s->c.row_ptr[row + 1],
                      .bits = offset_bits(s, row)};
    begin_parts(&a);
    while (a.c_at < a.c_end) {
        const int64_t end = a.c_at + take_part(to, &a);
        uint32_t *const before = a.cursors;
        a.cursors = a.ahead;
        a.ahead = before;
        for (; a.c_at < end; a.c_at++)
            a.counts[s->c.col_ind[a.c_at]] = 0;
    }
}

void spmmi_spgemm_pulls_row(struct spgemm_pulls *to, const struct spmmi_spgemm_stage *s, int64_t row)
{
    uint64_t products = 0, runs = 0;
    for (int64_t p = s->task.left.row_ptr[row]; p < s->task.left.row_ptr[row + 1]; p++) {
        products += (uint64_t)spmmi_spgemm_walk_count(s, p);
        runs += spmmi_spgemm_walk_count(s, p) > 0;
    }
    if (load_of(products, runs) <= SPMMI_SPGEMM_PULL) {
        add_whole(to, s, row, products, runs);
        return;
    }
    spmmi_spgemm_pulls_end(to);
    add_parts(to, s, row);
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
