/* SPDX-License-Identifier: Apache-2.0 */
/* See minhash.h. Finds nodes that are neighbours when sorted by single min-hashes, and compares the best of
 * them. */
#include "minhash.h"

#include "format/base/team.h"

#include <string.h>

#include <omp.h>

#define BUCKET 8 /* up to this many nodes with equal keys are not sorted by further keys */
/* Patterns whose lengths differ by a larger factor are not compared: their similarity is below 1 / FACTOR. */
#define FACTOR 8
#define AHEAD 32      /* number of nodes whose data is prefetched */
#define FIRST_LINE 16 /* columns in a cache line */
#define ONES UINT64_C(0x0101010101010101)

_Static_assert(2 * SPMMI_MINHASH_BANDS == SPMMI_MINHASH_HASHES, "a band is a pair of hashes");
_Static_assert(SPMMI_MINHASH_HASHES % 8 == 0, "signatures are read by words");

/* ---- Keys and candidates ---- */

static uint32_t key_of(const uint32_t *hashes, int band)
{
    const uint32_t a = hashes[2 * band], b = hashes[2 * band + 1];
    return a < b ? a : b;
}

static void prepare_node(struct spmmi_minhash *w, uint32_t node)
{
    const uint32_t *const hashes = w->hashes[node];
    for (int band = 0; band < SPMMI_MINHASH_BANDS; band++)
        w->keys[(uint64_t)band * w->nodes + node] = key_of(hashes, band);
    for (int i = 0; i < SPMMI_MINHASH_HASHES; i++) {
        const uint8_t some = (uint8_t)(hashes[i] >> 3);
        w->signature[node][i] = hashes[i] == SPMMI_MINHASH_NONE ? 0 : some != 0 ? some : 1;
    }
}

/* Returns 16 bits from each of the keys of the next two bands that have one. These sort a long bucket. */
static uint32_t second_key(const struct spmmi_minhash *w, uint32_t node, int band)
{
    uint32_t key = 0;
    for (int k = 1, found = 0; k < SPMMI_MINHASH_BANDS && found < 2; k++) {
        const uint32_t here = key_of(w->hashes[node], (band + k) % SPMMI_MINHASH_BANDS);
        if (here != SPMMI_MINHASH_NONE) {
            key = key << 16 | (here & 0xffff);
            found++;
        }
    }
    return key;
}

/* Links the nodes list[0 .. count), whose keys in the band are equal. */
static void search_bucket(struct spmmi_minhash *w, int band, uint64_t *list, uint64_t *spare, uint64_t count)
{
    if (count > BUCKET) {
        for (uint64_t i = 0; i < count; i++)
            list[i] = spmmi_key_pack(second_key(w, (uint32_t)list[i], band), (uint32_t)list[i]);
        spmmi_radix_sort(list, spare, count);
    }
    for (uint64_t i = 0; i + 1 < count; i++)
        w->behind[(uint32_t)list[i]][band] = (uint32_t)list[i + 1];
}

/* Links the nodes that have equal keys in a band. Nodes without a key in the band are skipped. Short rows
 * have keys in few bands, which is enough: a column that two rows share falls into the same band of both. */
static void search_band(struct spmmi_minhash *w, int band, uint64_t *list, uint64_t *spare)
{
    const uint32_t *const keys = w->keys + (uint64_t)band * w->nodes;
    uint64_t count = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        list[count] = spmmi_key_pack(keys[node], node);
        count += keys[node] != SPMMI_MINHASH_NONE;
    }
    spmmi_key_group(list, spare, count);
    for (uint64_t i = 0, end = 0; i < count; i = end) {
        const uint64_t key = list[i] >> 32;
        for (end = i + 1; end < count && list[end] >> 32 == key;)
            end++;
        if (end - i > 1)
            search_bucket(w, band, list + i, spare, end - i);
    }
}

/* ---- The best candidates ---- */

/* Returns a word with 1 in each byte that is zero in x. */
static uint64_t zero_bytes(uint64_t x)
{
    const uint64_t low = 0x7f * ONES;
    return ~(((x & low) + low) | x) >> 7 & ONES;
}

/* Estimates similarity from signatures: the number of positions with equal hashes / the number of positions
 * where a or b has a hash. Returns at least 1. */
static uint32_t estimate(const uint8_t *a, const uint8_t *b)
{
    uint64_t equal = 0, empty = 0;
    for (int i = 0; i < SPMMI_MINHASH_HASHES; i += 8) {
        uint64_t x = 0, y = 0;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        equal += zero_bytes(x ^ y);
        empty += zero_bytes(x | y);
    }
    const uint32_t neither = (uint32_t)(empty * ONES >> 56), same = (uint32_t)(equal * ONES >> 56) - neither;
    const uint32_t positions = SPMMI_MINHASH_HASHES - neither;
    return positions == 0 ? 1 : 1 + same * (SPMMI_MINHASH_LEVELS - 2) / positions;
}

/* Writes the distinct candidates of a node to `list`, and returns their number. */
static int candidates_of(const struct spmmi_minhash *w, uint32_t node, uint32_t list[SPMMI_MINHASH_BANDS])
{
    int count = 0;
    for (int band = 0; band < SPMMI_MINHASH_BANDS; band++) {
        const uint32_t other = w->behind[node][band];
        int k = 0;
        while (k < count && list[k] != other)
            k++;
        list[count] = other;
        count += other != SPMMI_MINHASH_NONE && k == count;
    }
    return count;
}

/* Writes the best candidates by estimated similarity to near[node]. Skips the estimates if all candidates
 * will be compared exactly. */
static void keep_best(struct spmmi_minhash *w, uint32_t node, bool exact)
{
    uint32_t list[SPMMI_MINHASH_BANDS];
    uint64_t *const near = w->near[node];
    const int count = candidates_of(w, node, list);
    memset(near, 0, sizeof w->near[node]);
    for (int i = 0; i < count; i++) {
        const bool all = exact && count <= SPMMI_MINHASH_EDGES;
        const uint32_t alike = all ? 1 : estimate(w->signature[node], w->signature[list[i]]);
        uint64_t moved = spmmi_key_pack(alike, ~list[i]);
        for (int k = 0; k < SPMMI_MINHASH_EDGES; k++) {
            const uint64_t here = near[k];
            near[k] = here > moved ? here : moved;
            moved = here > moved ? moved : here;
        }
    }
}

/* ---- Patterns ---- */

/* Returns the number of columns that are marked. */
static int64_t shared_by_mark(const uint8_t *marks, const int32_t *columns, int64_t length)
{
    int64_t shared = 0;
    for (int64_t i = 0; i < length; i++)
        shared += marks[columns[i]];
    return shared;
}

static int64_t shared_by_merge(const int32_t *x, int64_t length_x, const int32_t *y, int64_t length_y)
{
    const int32_t *const end_x = x + length_x, *const end_y = y + length_y;
    int64_t shared = 0;
    while (x < end_x && y < end_y) {
        const int32_t p = *x, q = *y;
        shared += p == q;
        x += p <= q;
        y += q <= p;
    }
    return shared;
}

/* Returns the similarity of the patterns of units a and b in steps of 1 / SPMMI_MINHASH_LEVELS. If marks is
 * not NULL, the columns of a must be marked. */
static uint32_t similarity(const struct spmmi_minhash *w, uint32_t a, uint32_t b, const uint8_t *marks)
{
    const int64_t length_a = spmmi_minhash_length(w, a), length_b = spmmi_minhash_length(w, b);
    if (length_a / FACTOR > length_b || length_b / FACTOR > length_a)
        return 0;
    const int64_t shared = marks != NULL ? shared_by_mark(marks, spmmi_minhash_columns(w, b), length_b)
                                         : shared_by_merge(spmmi_minhash_columns(w, a), length_a,
                                                           spmmi_minhash_columns(w, b), length_b);
    return (uint32_t)(shared * (SPMMI_MINHASH_LEVELS - 1) / (length_a + length_b - shared));
}

/* Replaces the similarities in near[node] by exact ones. marks may be NULL. */
static void compare_patterns(const struct spmmi_minhash *w, uint32_t node, uint8_t *marks)
{
    const uint32_t unit = w->head[node];
    const int32_t *columns = spmmi_minhash_columns(w, unit);
    uint64_t *const near = w->near[node];
    const int64_t marked = marks == NULL || near[0] == 0 ? 0 : spmmi_minhash_length(w, unit);
    for (int64_t i = 0; i < marked; i++)
        marks[columns[i]] = 1;
    for (int k = 0; k < SPMMI_MINHASH_EDGES && near[k] != 0; k++) {
        const uint32_t other = ~(uint32_t)near[k];
        near[k] = spmmi_key_pack(similarity(w, unit, w->head[other], marks), ~other);
    }
    for (int64_t i = 0; i < marked; i++)
        marks[columns[i]] = 0;
}

/* ---- All nodes ---- */

static void prefetch_signatures(const struct spmmi_minhash *w, uint32_t node)
{
    for (int band = 0; band < SPMMI_MINHASH_BANDS; band++)
        if (w->behind[node][band] != SPMMI_MINHASH_NONE)
            __builtin_prefetch(w->signature[w->behind[node][band]]);
}

/* Prefetches the patterns of a node's candidates. Each step reads what the previous step prefetched. */
static void prefetch_patterns(const struct spmmi_minhash *w, uint32_t node, int step)
{
    const uint64_t *const near = w->near[node];
    for (int k = 0; k < SPMMI_MINHASH_EDGES && near[k] != 0; k++) {
        const uint32_t *const head = w->head + ~(uint32_t)near[k];
        if (step == 0) {
            __builtin_prefetch(head);
        } else if (step == 1) {
            __builtin_prefetch(w->unit_ptr + *head);
        } else {
            __builtin_prefetch(spmmi_minhash_columns(w, *head));
            if (spmmi_minhash_length(w, *head) > FIRST_LINE)
                __builtin_prefetch(spmmi_minhash_columns(w, *head) + FIRST_LINE);
        }
    }
}

static void choose_edges(struct spmmi_minhash *w, uint32_t first, uint32_t end, bool exact, uint8_t *marks)
{
    for (uint32_t node = first; node < end; node++)
        prefetch_signatures(w, node);
    for (uint32_t node = first; node < end; node++)
        keep_best(w, node, exact);
    for (int step = 0; step < 3 && exact; step++)
        for (uint32_t node = first; node < end; node++)
            prefetch_patterns(w, node, step);
    for (uint32_t node = first; node < end && exact; node++)
        compare_patterns(w, node, marks);
}

void spmmi_minhash_candidates(struct spmmi_minhash *w, bool exact)
{
    memset(w->behind, 0xff, w->nodes * sizeof *w->behind);
#pragma omp parallel num_threads(spmmi_team(w->nodes > SPMMI_MINHASH_GRAIN ? w->threads : 1))
    {
        const uint64_t thread = (uint64_t)omp_get_thread_num(), offset = thread * w->units;
        uint8_t *const marks = w->marks == NULL ? NULL : w->marks + thread * (uint64_t)w->cols;
#pragma omp for schedule(static)
        for (uint32_t node = 0; node < w->nodes; node++)
            prepare_node(w, node);
#pragma omp for schedule(dynamic, 1)
        for (int band = 0; band < SPMMI_MINHASH_BANDS; band++)
            search_band(w, band, w->sorted + offset, w->spare + offset);
#pragma omp for schedule(dynamic, 16)
        for (uint64_t first = 0; first < w->nodes; first += AHEAD)
            choose_edges(w, (uint32_t)first, w->nodes - first > AHEAD ? (uint32_t)first + AHEAD : w->nodes,
                         exact, marks);
    }
}
