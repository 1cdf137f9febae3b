/* SPDX-License-Identifier: Apache-2.0 */
/* See minhash.h. Groups units with equal patterns into nodes, and computes the min-hashes of nodes. */
#include "minhash.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "inspector/analysis/random.h"

#define COLLISIONS 8 /* patterns with the same hash whose equal units are found */

static uint32_t hash_of_pattern(const struct spmmi_minhash *w, uint32_t unit)
{
    const int64_t length = spmmi_minhash_length(w, unit);
    const int32_t *columns = spmmi_minhash_columns(w, unit);
    uint64_t hash = (uint64_t)length;
    for (int64_t i = 0; i < length; i++) {
        hash = (hash ^ (uint32_t)columns[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)(spmmi_random_mix(hash) >> 32);
}

static bool same_pattern(const struct spmmi_minhash *w, uint32_t a, uint32_t b)
{
    const int64_t length = spmmi_minhash_length(w, a);
    return length == spmmi_minhash_length(w, b) &&
           memcmp(spmmi_minhash_columns(w, a), spmmi_minhash_columns(w, b),
                  (size_t)length * sizeof(int32_t)) == 0;
}

/* Sets leader[u] to the first unit with the pattern of u, for the units sorted[0 .. count), whose hashes are
 * equal. */
static void find_leaders(const struct spmmi_minhash *w, const uint64_t *sorted, uint64_t count,
                         uint32_t *leader)
{
    uint32_t found[COLLISIONS] = {0};
    int distinct = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t unit = (uint32_t)sorted[i];
        int k = 0;
        while (k < distinct && !same_pattern(w, found[k], unit))
            k++;
        leader[unit] = k < distinct ? found[k] : unit;
        if (k == distinct && distinct < COLLISIONS)
            found[distinct++] = unit;
    }
}

/* Sets leader[u] of each unit to the first unit with its pattern, or SPMMI_MINHASH_NONE if it has no
 * nonzeros. */
static void group_patterns(struct spmmi_minhash *w, uint32_t *leader)
{
    const uint64_t units = w->units;
    uint64_t *const sorted = w->sorted;
#pragma omp parallel for num_threads(spmmi_team(units > SPMMI_MINHASH_GRAIN ? w->threads : 1)) \
    schedule(static)
    for (uint64_t u = 0; u < units; u++)
        sorted[u] = spmmi_key_pack(hash_of_pattern(w, (uint32_t)u), (uint32_t)u);
    spmmi_key_group(sorted, w->spare, units);
#pragma omp parallel for num_threads(spmmi_team(units > SPMMI_MINHASH_GRAIN ? w->threads : 1)) \
    schedule(static)
    for (uint64_t i = 0; i < units; i++) {
        uint64_t end = i + 1;
        if (i > 0 && sorted[i] >> 32 == sorted[i - 1] >> 32)
            continue;
        while (end < units && sorted[end] >> 32 == sorted[i] >> 32)
            end++;
        find_leaders(w, sorted + i, end - i, leader);
    }
    for (uint64_t u = 0; u < units; u++)
        if (spmmi_minhash_length(w, (uint32_t)u) == 0)
            leader[u] = SPMMI_MINHASH_NONE;
}

/* Returns the number of leaders, which is the number of distinct patterns. */
static uint32_t count_nodes(const struct spmmi_minhash *w, const uint32_t *leader)
{
    uint32_t nodes = 0;
    for (uint64_t u = 0; u < w->units; u++)
        nodes += leader[u] == u;
    return nodes;
}

/* Makes the nodes in the order of their leaders. Leaders precede their followers, so leader[] can be
 * overwritten in place with the node of each unit. */
static void make_nodes(struct spmmi_minhash *w, uint32_t *leader)
{
    uint32_t nodes = 0;
    for (uint32_t u = 0; u < w->units; u++) {
        w->next[u] = SPMMI_MINHASH_NONE;
        if (leader[u] == SPMMI_MINHASH_NONE)
            continue;
        if (leader[u] == u) {
            w->head[nodes] = w->tail[nodes] = u;
            w->size[nodes] = 1;
            leader[u] = nodes++;
            continue;
        }
        const uint32_t node = leader[leader[u]];
        w->next[w->tail[node]] = u;
        w->tail[node] = u;
        w->size[node]++;
        leader[u] = node;
    }
}

spmm_status_t spmmi_minhash_find_nodes(struct spmmi_minhash *w, uint32_t *node_of)
{
    group_patterns(w, node_of);
    w->nodes = count_nodes(w, node_of);
    w->next = spmmi_alloc(w->units, sizeof *w->next);
    w->head = spmmi_alloc(w->nodes, sizeof *w->head);
    w->tail = spmmi_alloc(w->nodes, sizeof *w->tail);
    w->size = spmmi_alloc(w->nodes, sizeof *w->size);
    if (w->next == NULL || w->head == NULL || w->tail == NULL || w->size == NULL)
        return SPMM_ERR_MEMORY;
    make_nodes(w, node_of);
    return SPMM_OK;
}

void spmmi_minhash_free(struct spmmi_minhash *w)
{
    spmmi_free(w->near);
    spmmi_free(w->behind);
    spmmi_free(w->keys);
    spmmi_free(w->signature);
    spmmi_free(w->hashes);
    spmmi_free(w->parent);
    spmmi_free(w->size);
    spmmi_free(w->tail);
    spmmi_free(w->head);
    spmmi_free(w->next);
    spmmi_free(w->marks);
    spmmi_free(w->spare);
    spmmi_free(w->sorted);
}

/* Computes min-hashes. One hash per column selects both the position and the value. */
static void hash_node(const int32_t *columns, int64_t length, uint32_t *hashes)
{
    uint32_t own[SPMMI_MINHASH_HASHES]; /* local, so that the compiler knows that it does not alias columns */
    memset(own, 0xff, sizeof own);
    for (int64_t i = 0; i < length; i++) {
        uint64_t x = ((uint64_t)(uint32_t)columns[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
        uint32_t *const position = own + (x >> 60);
        const uint32_t value = (uint32_t)(x >> 28) >> 1; /* less than the mark of an empty position */
        *position = *position < value ? *position : value;
    }
    memcpy(hashes, own, sizeof own);
}

void spmmi_minhash_hash_nodes(struct spmmi_minhash *w)
{
#pragma omp parallel for num_threads(spmmi_team(w->units > SPMMI_MINHASH_GRAIN ? w->threads : 1)) \
    schedule(dynamic, 256)
    for (uint32_t node = 0; node < w->nodes; node++)
        hash_node(spmmi_minhash_columns(w, w->head[node]), spmmi_minhash_length(w, w->head[node]),
                  w->hashes[node]);
}
