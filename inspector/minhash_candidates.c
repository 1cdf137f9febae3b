/* SPDX-License-Identifier: Apache-2.0 */
/* See minhash.h. Nodes that are neighbours when sorted by single min-hashes, the best of them compared. */
#include "minhash.h"

#include <string.h>

#include <omp.h>

#define BUCKET 8 /* nodes with the same min-hash that are not sorted by another one */
#define FACTOR 8 /* of lengths, beyond which patterns are not compared: likeness below 1 / FACTOR */
#define AHEAD 32 /* nodes whose data is asked for before it is needed */

static uint32_t shared_hashes(const uint32_t *a, const uint32_t *b)
{
    uint32_t shared = 0;
    for (int i = 0; i < SPMMI_MINHASH_HASHES; i++)
        shared += a[i] == b[i];
    return shared;
}

/* Nodes list[0 .. count) share the min-hash of the band: a long bucket is sorted by the next one, then each node
 * meets those behind it. */
static void search_bucket(struct spmmi_minhash *w, int band, uint64_t *list, uint64_t *spare, uint64_t count,
                          uint64_t behind)
{
    if (count > BUCKET) {
        for (uint64_t i = 0; i < count; i++)
            list[i] = spmmi_key_pack(
                w->hashes[(uint32_t)list[i]][band * (SPMMI_MINHASH_HASHES / SPMMI_MINHASH_BANDS) + 1],
                (uint32_t)list[i]);
        spmmi_key_sort(list, spare, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t node = (uint32_t)list[i];
        if (i + AHEAD < behind) {
            __builtin_prefetch(w->hashes[(uint32_t)list[i + AHEAD]]);
            __builtin_prefetch(&w->near[(uint32_t)list[i + AHEAD]][band * SPMMI_MINHASH_NEXT], 1);
        }
        for (uint64_t k = 1; k <= SPMMI_MINHASH_NEXT && i + k < count; k++) {
            const uint32_t other = (uint32_t)list[i + k];
            const uint32_t shared = shared_hashes(w->hashes[node], w->hashes[other]);
            w->near[node][(uint64_t)band * SPMMI_MINHASH_NEXT + k - 1] = spmmi_key_pack(shared, ~other);
        }
    }
}

static void search_band(struct spmmi_minhash *w, int band, uint64_t *list, uint64_t *spare)
{
    for (uint32_t node = 0; node < w->nodes; node++)
        list[node] =
            spmmi_key_pack(w->hashes[node][band * (SPMMI_MINHASH_HASHES / SPMMI_MINHASH_BANDS)], node);
    spmmi_key_sort(list, spare, w->nodes);
    for (uint64_t i = 0, end = 0; i < w->nodes; i = end) {
        const uint64_t key = list[i] >> 32;
        for (end = i + 1; end < w->nodes && list[end] >> 32 == key;)
            end++;
        search_bucket(w, band, list + i, spare, end - i, w->nodes - i);
    }
}

/* The largest distinct candidates first, SPMMI_MINHASH_EDGES of them; 0 where there are fewer. */
static void keep_best(uint64_t *near)
{
    for (int i = 1; i < SPMMI_MINHASH_NEAR; i++) {
        const uint64_t moved = near[i];
        int k = i;
        for (; k > 0 && near[k - 1] < moved; k--)
            near[k] = near[k - 1];
        near[k] = moved;
    }
    int kept = 1;
    for (int i = 1; i < SPMMI_MINHASH_NEAR && kept < SPMMI_MINHASH_EDGES; i++)
        if (near[i] != near[kept - 1])
            near[kept++] = near[i];
    while (kept < SPMMI_MINHASH_EDGES)
        near[kept++] = 0;
}

/* Columns that carry the mark. */
static int64_t shared_by_mark(const uint32_t *marks, uint32_t mark, const int32_t *columns, int64_t length)
{
    int64_t shared = 0;
    for (int64_t i = 0; i < length; i++)
        shared += marks[columns[i]] == mark;
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

/* Likeness in steps of 1 / SPMMI_MINHASH_LEVELS; the columns of a carry the mark if there are marks. */
static uint32_t likeness(const struct spmmi_minhash *w, uint32_t a, uint32_t b, const uint32_t *marks,
                         uint32_t mark)
{
    const int64_t length_a = spmmi_minhash_length(w, a), length_b = spmmi_minhash_length(w, b);
    if (length_a / FACTOR > length_b || length_b / FACTOR > length_a)
        return 0;
    const int64_t shared = marks != NULL ? shared_by_mark(marks, mark, spmmi_minhash_columns(w, b), length_b)
                                         : shared_by_merge(spmmi_minhash_columns(w, a), length_a,
                                                           spmmi_minhash_columns(w, b), length_b);
    return (uint32_t)(shared * (SPMMI_MINHASH_LEVELS - 1) / (length_a + length_b - shared));
}

/* near[node][0 .. SPMMI_MINHASH_EDGES): (likeness, ~node) of the best candidates; likeness 0 is no edge. marks may be
 * NULL. */
static void compare_patterns(const struct spmmi_minhash *w, uint32_t node, uint32_t *marks)
{
    const uint32_t unit = w->head[node], mark = node + 1;
    const int32_t *columns = spmmi_minhash_columns(w, unit);
    const int64_t marked = marks == NULL ? 0 : spmmi_minhash_length(w, unit);
    for (int64_t i = 0; i < marked; i++)
        marks[columns[i]] = mark;
    uint64_t *const near = w->near[node];
    for (int k = 0; k < SPMMI_MINHASH_EDGES && near[k] != 0; k++) {
        const uint32_t other = ~(uint32_t)near[k];
        near[k] = spmmi_key_pack(likeness(w, unit, w->head[other], marks, mark), ~other);
    }
}

/* The same by min-hashes. */
static void compare_hashes(uint64_t *near)
{
    for (int i = 0; i < SPMMI_MINHASH_EDGES; i++)
        near[i] = spmmi_key_pack(
            (uint32_t)(near[i] >> 32) * (SPMMI_MINHASH_LEVELS - 1) / SPMMI_MINHASH_HASHES, (uint32_t)near[i]);
}

/* Ask for the patterns of a node's candidates before they are needed: each step reads what the one before it asked
 * for. */
static void prefetch_patterns(const struct spmmi_minhash *w, uint32_t node, int step)
{
    const uint64_t *const near = w->near[node];
    for (int k = 0; k < SPMMI_MINHASH_EDGES && near[k] != 0; k++) {
        const uint32_t *const head = w->head + ~(uint32_t)near[k];
        if (step == 0)
            __builtin_prefetch(head);
        else if (step == 1)
            __builtin_prefetch(w->unit_ptr + *head);
        else
            __builtin_prefetch(spmmi_minhash_columns(w, *head));
    }
}

static void choose_edges(const struct spmmi_minhash *w, uint32_t first, uint32_t end, bool exact,
                         uint32_t *marks)
{
    for (uint32_t node = first; node < end; node++)
        keep_best(w->near[node]);
    for (int step = 0; step < 3 && exact; step++)
        for (uint32_t node = first; node < end; node++)
            prefetch_patterns(w, node, step);
    for (uint32_t node = first; node < end; node++)
        if (exact)
            compare_patterns(w, node, marks);
        else
            compare_hashes(w->near[node]);
}

void spmmi_minhash_candidates(struct spmmi_minhash *w, bool exact)
{
    memset(w->near, 0, w->nodes * sizeof *w->near);
#pragma omp parallel num_threads(w->threads) if (w->nodes > SPMMI_MINHASH_GRAIN)
    {
        const uint64_t thread = (uint64_t)omp_get_thread_num(), offset = thread * w->units;
        uint32_t *const marks = w->marks == NULL ? NULL : w->marks + thread * (uint64_t)w->cols;
#pragma omp for schedule(dynamic, 1)
        for (int band = 0; band < SPMMI_MINHASH_BANDS; band++)
            search_band(w, band, w->sorted + offset, w->spare + offset);
#pragma omp for schedule(dynamic, 16)
        for (uint64_t first = 0; first < w->nodes; first += AHEAD)
            choose_edges(w, (uint32_t)first, w->nodes - first > AHEAD ? (uint32_t)first + AHEAD : w->nodes,
                         exact, marks);
    }
}
