/* SPDX-License-Identifier: Apache-2.0 */
/* See spgemm_ranges.h. Units are walked twice: to count the ranges of each class, and to write them. */
#include "spgemm_ranges.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "spgemm_limits.h"
#include "spgemm_longs.h"

_Static_assert(sizeof(struct spmmi_spgemm_cut_range) == SPMMI_SPGEMM_RANGE_BYTES &&
                   sizeof(struct spmmi_spgemm_range) < SPMMI_SPGEMM_RANGE_BYTES &&
                   SPMMI_SPGEMM_RANGE_ENTRIES == SPMMI_SPGEMM_RANGE_MOST,
               "as plans tell it");

struct making {
    const struct spmmi_spgemm_stage *stage;
    struct spmmi_spgemm_ranges *out;
    int is_writing;    /* else ranges are counted */
    uint64_t words;    /* of all ranges, as if none were shared */
    uint32_t *seen;    /* hash table: where words begin, + 1 */
    uint64_t seen_max; /* its number of slots - 1: a power of two - 1 */
};

/* A row of C with its pieces. */
struct row {
    int64_t row, first, end;               /* entries [first, end) of the left factor */
    const struct spmmi_spgemm_unit *units; /* of its pieces; NULL: the row is not cut */
    int64_t pieces;
};

static const struct {
    int64_t entries, width; /* width: lanes; warps for ranges of cut rows */
} classes[] = {
#define CLASS(number, entries, width) [number] = {entries, width},
    SPMMI_SPGEMM_RANGE_CLASS_TABLE(CLASS) SPMMI_SPGEMM_CUT_CLASS_TABLE(CLASS)
#undef CLASS
};
_Static_assert(sizeof classes / sizeof *classes == SPMMI_SPGEMM_SPANS, "each class has a span");

/* Returns the class of a range with this many entries and a list of this length. */
static int class_of(int64_t entries, int64_t length)
{
    const int64_t most_lanes = classes[SPMMI_SPGEMM_RANGE_CLASSES - 1].width;
    int i = 0;
    while (entries > classes[i].entries || (length > classes[i].entries && classes[i].width < most_lanes))
        i++;
    return i;
}

/* The same for ranges of a row that is cut, by the entries of the row. */
static int class_of_cut(int64_t entries)
{
    int i = SPMMI_SPGEMM_RANGE_CLASSES;
    while (i < SPMMI_SPGEMM_SPANS - 1 && entries > classes[i].entries)
        i++;
    return i;
}

/* Returns true if the columns of the entries [q, q + entries) of C need 4 bytes each. */
static int is_wide(const struct spmmi_spgemm_stage *s, int64_t q, int64_t entries)
{
    return s->c.col_ind[q + entries - 1] - s->c.col_ind[q] >= SPMMI_SPGEMM_RANGE_NARROW;
}

static int64_t words_of(const struct spmmi_spgemm_stage *s, int64_t q, int64_t entries)
{
    return is_wide(s, q, entries) ? entries : (entries + 1) / 2;
}

/* Writes the columns of a range: two per word, the lower half first, or one. */
static void write_words(const struct spmmi_spgemm_stage *s, int64_t q, int64_t entries, uint32_t *to)
{
    const int32_t *const columns = s->c.col_ind + q;
    const int64_t in_word = is_wide(s, q, entries) ? 1 : 2;
    memset(to, 0, (size_t)words_of(s, q, entries) * sizeof *to);
    for (int64_t e = 0; e < entries; e++)
        to[e / in_word] |= (uint32_t)(columns[e] - columns[0]) << 16 * (e % in_word);
}

static uint64_t hash_words(const uint32_t *words, int64_t count)
{
    uint64_t hash = (uint64_t)count;
    for (int64_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Returns where the words of a range are: with equal words of another range, or appended. */
static uint32_t place_words(struct making *m, int64_t q, int64_t entries)
{
    struct spmmi_spgemm_ranges *out = m->out;
    uint32_t *const own = out->words + out->word_count;
    const int64_t count = words_of(m->stage, q, entries);
    write_words(m->stage, q, entries, own);
    uint64_t slot = hash_words(own, count) & m->seen_max;
    for (; m->seen[slot] != 0; slot = (slot + 1) & m->seen_max) {
        const uint32_t *const other = out->words + (m->seen[slot] - 1);
        if (own - other >= count && memcmp(other, own, (size_t)count * sizeof *own) == 0)
            return m->seen[slot] - 1;
    }
    m->seen[slot] = (uint32_t)out->word_count + 1;
    out->word_count += (uint64_t)count;
    return (uint32_t)out->word_count - (uint32_t)count;
}

static struct spmmi_spgemm_range range_of(struct making *m, const struct row *r, int64_t q, int64_t entries)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const int is_whole = s->c.row_ptr[r->row + 1] - s->c.row_ptr[r->row] == entries && s->taken == NULL;
    const struct spmmi_spgemm_range_counts counts = {(uint32_t)entries,
                                                     r->units == NULL ? (uint32_t)(r->end - r->first) : 0,
                                                     (uint32_t)is_wide(s, q, entries), (uint32_t)!is_whole};
    return (struct spmmi_spgemm_range){(uint32_t)r->first, (uint32_t)q, place_words(m, q, entries),
                                       s->c.col_ind[q], spmmi_spgemm_range_pack(counts)};
}

static void put_range(struct making *m, const struct row *r, int64_t q, int64_t entries, int range_class,
                      uint32_t piece)
{
    struct spmmi_spgemm_span *const span = &m->out->spans[range_class];
    const uint32_t at = span->first + span->count++;
    m->words += (uint64_t)words_of(m->stage, q, entries);
    if (!m->is_writing)
        return;
    const struct spmmi_spgemm_range range = range_of(m, r, q, entries);
    if (r->units != NULL)
        m->out->cuts[at] = (struct spmmi_spgemm_cut_range){range, piece, (uint32_t)r->pieces};
    else
        m->out->ranges[at] = range;
}

/* Makes the ranges of a row, all with about the same number of entries. */
static void walk_row(struct making *m, const struct row *r)
{
    const int64_t *c = m->stage->c.row_ptr;
    const int64_t entries = c[r->row + 1] - c[r->row];
    const int64_t parts = (entries + SPMMI_SPGEMM_RANGE_ENTRIES - 1) / SPMMI_SPGEMM_RANGE_ENTRIES,
                  most = parts > 0 ? (entries + parts - 1) / parts : 0;
    const uint32_t piece = m->out->end_count;
    for (int64_t p = 0; r->units != NULL && p < r->pieces; p++, m->out->end_count++)
        if (m->is_writing)
            m->out->ends[m->out->end_count] = (uint32_t)r->units[p].end;
    for (int64_t q = c[r->row], own; (own = spmmi_spgemm_next_slice(m->stage, &q, c[r->row + 1], most)) > 0;
         q += own)
        put_range(m, r, q, own, r->units != NULL ? class_of_cut(entries) : class_of(own, r->end - r->first),
                  piece);
}

/* Makes the ranges of a row that is not cut. If its list is long, it is treated as a cut row of one piece. */
static void walk_whole(struct making *m, int64_t row)
{
    const int64_t *left = m->stage->task.left.row_ptr;
    const struct spmmi_spgemm_unit all = {.first = left[row], .end = left[row + 1]};
    const int is_long = all.end - all.first > SPMMI_SPGEMM_RANGE_LENGTH_MAX;
    walk_row(m, &(struct row){row, all.first, all.end, is_long ? &all : NULL, 1});
}

static void walk(struct making *m)
{
    const struct spmmi_spgemm_stage *s = m->stage;
    const struct spmmi_spgemm_cut *cut = s->cuts;
    m->words = 0;
    m->out->end_count = 0;
    for (int64_t u = 0; u < s->unit_count;) {
        const struct spmmi_spgemm_unit *unit = &s->units[u];
        for (int64_t i = unit->row; unit->partial < 0 && i < unit->row_end; i++)
            walk_whole(m, i);
        if (unit->partial >= 0)
            walk_row(m, &(struct row){unit->row, unit->first, 0, unit, cut->pieces});
        u += unit->partial >= 0 ? cut++->pieces : 1;
    }
}

/* Sets where each span begins: one after the other, with the lengths that were counted. Empties them again.
 * Returns the total length. */
static uint32_t place_spans(struct spmmi_spgemm_span *spans, int count)
{
    uint32_t first = 0;
    for (int i = 0; i < count; i++) {
        spans[i].first = first;
        first += spans[i].count;
        spans[i].count = 0;
    }
    return first;
}

static spmm_status_t make_room(struct making *m, uint64_t host_left, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_spgemm_ranges *out = m->out;
    out->count = place_spans(out->spans, SPMMI_SPGEMM_RANGE_CLASSES);
    out->cut_count = place_spans(out->spans + SPMMI_SPGEMM_RANGE_CLASSES, SPMMI_SPGEMM_CUT_CLASSES);
    m->seen_max = 1;
    while (m->seen_max < 2 * ((uint64_t)out->count + out->cut_count))
        m->seen_max *= 2;
    const uint64_t bytes = out->count * sizeof *out->ranges + out->cut_count * sizeof *out->cuts +
                           (out->end_count + m->words + m->seen_max) * sizeof(uint32_t);
    SPMM_REQUIRE(bytes <= host_left, SPMM_ERR_PLAN_BUDGET, diag,
                 "the ranges of a GPU take %llu bytes of the host, %llu are left", (unsigned long long)bytes,
                 (unsigned long long)host_left);
    SPMM_TRY_ALLOC(out->ranges = spmmi_alloc(out->count, sizeof *out->ranges), diag);
    SPMM_TRY_ALLOC(out->cuts = spmmi_alloc(out->cut_count, sizeof *out->cuts), diag);
    SPMM_TRY_ALLOC(out->ends = spmmi_alloc(out->end_count, sizeof *out->ends), diag);
    SPMM_TRY_ALLOC(out->words = spmmi_alloc(m->words, sizeof *out->words), diag);
    SPMM_TRY_ALLOC(m->seen = spmmi_alloc_zero(m->seen_max, sizeof *m->seen), diag);
    m->seen_max--;
cleanup:
    return status;
}

spmm_status_t spmmi_spgemm_ranges_make(const struct spmmi_spgemm_stage *s, uint64_t host_left,
                                       struct spmmi_spgemm_ranges *ranges, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct making m = {.stage = s, .out = ranges};
    memset(ranges, 0, sizeof *ranges);
    SPMM_TRY(spmmi_spgemm_require_counts(s, diag));
    walk(&m);
    SPMM_TRY(make_room(&m, host_left, diag));
    m.is_writing = 1;
    walk(&m);
cleanup:
    spmmi_free(m.seen);
    return status;
}

void spmmi_spgemm_ranges_free(struct spmmi_spgemm_ranges *ranges)
{
    spmmi_free(ranges->ranges);
    spmmi_free(ranges->cuts);
    spmmi_free(ranges->ends);
    spmmi_free(ranges->words);
    memset(ranges, 0, sizeof *ranges);
}
