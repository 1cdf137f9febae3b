/* SPDX-License-Identifier: Apache-2.0 */
/* See reorder_minhash.h. Units with equal patterns become one node. Several rounds of clustering follow. A
 * round sorts the nodes by single min-hashes, and neighbours in these sorted lists are candidates. The best
 * candidates of each node become edges. Edges then join nodes to clusters, the most similar pair first, up to
 * the cluster size of the round. The clusters are the nodes of the next round; each min-hash of a union is
 * the minimum of its parts. Clusters are lists that are joined end to end, so that parts that were joined
 * early stay together. Parallel loops write only the elements of their own index; one thread does the
 * sequential steps. */
#include "reorder_minhash.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/many_columns.h"
#include "permutation_units.h"
#include "minhash.h"

/* Maximum number of units per cluster in each round. The first round compares patterns, later rounds
 * min-hashes. */
static const uint32_t cap_of_round[] = {16, 64, 256, UINT32_MAX};
#define ROUNDS (int)(sizeof cap_of_round / sizeof cap_of_round[0])
#define LEAST_JOINED 16 /* a round that keeps more than 15 of 16 nodes is the last */

struct edge {
    uint32_t node, other;
};

static uint32_t root_of(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* Joins the clusters of a and b unless the result exceeds `cap` units. The smaller node becomes the root, and
 * its units come first. */
static void join(struct spmmi_minhash *w, uint32_t a, uint32_t b, uint32_t cap)
{
    a = root_of(w->parent, a);
    b = root_of(w->parent, b);
    if (a == b || (uint64_t)w->size[a] + w->size[b] > cap)
        return;
    const uint32_t root = a < b ? a : b, child = a < b ? b : a;
    w->parent[child] = root;
    w->size[root] += w->size[child];
    w->next[w->tail[root]] = w->head[child];
    w->tail[root] = w->tail[child];
}

/* Returns the edges by descending similarity, then by ascending node and rank; NULL: out of memory. Sets
 * *count. The caller frees them. */
static struct edge *sort_edges(const struct spmmi_minhash *w, uint64_t *count)
{
    uint64_t start[SPMMI_MINHASH_LEVELS] = {0}, sum = 0;
    for (uint32_t node = 0; node < w->nodes; node++)
        for (int i = 0; i < SPMMI_MINHASH_EDGES; i++)
            start[w->near[node][i] >> 32]++;
    for (int level = SPMMI_MINHASH_LEVELS - 1; level > 0; level--) {
        const uint64_t here = start[level];
        start[level] = sum;
        sum += here;
    }
    *count = sum;
    struct edge *edges = spmmi_alloc(sum, sizeof *edges);
    if (edges == NULL)
        return NULL;
    for (uint32_t node = 0; node < w->nodes; node++)
        for (int i = 0; i < SPMMI_MINHASH_EDGES; i++) {
            const uint64_t near = w->near[node][i];
            if (near >> 32 > 0)
                edges[start[near >> 32]++] = (struct edge){node, ~(uint32_t)near};
        }
    return edges;
}

/* Makes the roots the nodes of the next round, with the min-hashes of the unions. A root is the smallest node
 * of its cluster, so nothing is overwritten before it is read. */
static void contract(struct spmmi_minhash *w)
{
    uint32_t roots = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        const uint32_t root = root_of(w->parent, node);
        if (root == node)
            continue;
        for (int i = 0; i < SPMMI_MINHASH_HASHES; i++)
            if (w->hashes[node][i] < w->hashes[root][i])
                w->hashes[root][i] = w->hashes[node][i];
    }
    for (uint32_t node = 0; node < w->nodes; node++) {
        if (w->parent[node] != node)
            continue;
        w->head[roots] = w->head[node];
        w->tail[roots] = w->tail[node];
        w->size[roots] = w->size[node];
        memmove(w->hashes[roots], w->hashes[node], sizeof w->hashes[node]);
        roots++;
    }
    w->nodes = roots;
}

static spmm_status_t cluster(struct spmmi_minhash *w, bool exact, uint32_t cap)
{
    uint64_t count = 0;
    spmmi_minhash_candidates(w, exact);
    struct edge *edges = sort_edges(w, &count);
    if (edges == NULL)
        return SPMM_ERR_MEMORY;
    for (uint32_t node = 0; node < w->nodes; node++)
        w->parent[node] = node;
    for (uint64_t i = 0; i < count; i++)
        join(w, edges[i].node, edges[i].other, cap);
    spmmi_free(edges);
    contract(w);
    return SPMM_OK;
}

/* Writes the permutation: the clusters by the first column of their first unit, as no similarity between them
 * is known, then the units without nonzeros. */
static void emit(struct spmmi_minhash *w, uint32_t *permutation)
{
    uint64_t count = 0;
    for (uint32_t node = 0; node < w->nodes; node++)
        w->sorted[node] = spmmi_key_pack((uint32_t)*spmmi_minhash_columns(w, w->head[node]), node);
    spmmi_radix_sort(w->sorted, w->spare, w->nodes);
    for (uint32_t i = 0; i < w->nodes; i++)
        for (uint32_t unit = w->head[(uint32_t)w->sorted[i]]; unit != SPMMI_MINHASH_NONE;
             unit = w->next[unit])
            permutation[count++] = unit;
    for (uint32_t unit = 0; unit < w->units; unit++)
        if (spmmi_minhash_length(w, unit) == 0)
            permutation[count++] = unit;
}

static bool alloc_nodes(struct spmmi_minhash *w)
{
    w->parent = spmmi_alloc(w->nodes, sizeof *w->parent);
    w->hashes = spmmi_alloc(w->nodes, sizeof *w->hashes);
    w->signature = spmmi_alloc(w->nodes, sizeof *w->signature);
    w->keys = spmmi_alloc(w->nodes, SPMMI_MINHASH_BANDS * sizeof *w->keys);
    w->behind = spmmi_alloc(w->nodes, sizeof *w->behind);
    w->near = spmmi_alloc(w->nodes, sizeof *w->near);
    return w->parent != NULL && w->hashes != NULL && w->signature != NULL && w->keys != NULL &&
           w->behind != NULL && w->near != NULL;
}

/* Allocates marks, which need one byte per column and thread. Skips them if there are many columns for the
 * nonzeros. */
static bool alloc_marks(struct spmmi_minhash *w)
{
    if (spmmi_columns_are_many(w->cols, w->unit_ptr[w->units]))
        return true;
    w->marks = spmmi_alloc_zero((uint64_t)w->cols, (size_t)w->threads * sizeof *w->marks);
    return w->marks != NULL;
}

/* Runs rounds as long as enough clusters are joined. */
static spmm_status_t join_all(struct spmmi_minhash *w)
{
    spmm_status_t status = SPMM_OK;
    uint32_t before = UINT32_MAX;
    for (int round = 0; round < ROUNDS && w->nodes <= before - before / LEAST_JOINED && status == SPMM_OK;
         round++) {
        before = w->nodes;
        status = cluster(w, round == 0, cap_of_round[round]);
    }
    return status;
}

spmm_status_t spmmi_reorder_minhash(uint64_t count, int64_t cols, const int64_t *unit_ptr,
                                    const int32_t *col_ind, int threads, uint32_t *permutation)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    struct spmmi_minhash w = {.units = count, .cols = cols, .unit_ptr = unit_ptr, .col_ind = col_ind};
    w.threads = threads < SPMMI_MINHASH_BANDS ? threads : SPMMI_MINHASH_BANDS;
    w.sorted = spmmi_alloc(count, (size_t)w.threads * sizeof *w.sorted);
    w.spare = spmmi_alloc(count, (size_t)w.threads * sizeof *w.spare);
    if (w.sorted == NULL || w.spare == NULL || !alloc_marks(&w))
        goto cleanup;
    if (spmmi_minhash_find_nodes(&w, permutation) != SPMM_OK || !alloc_nodes(&w))
        goto cleanup;
    spmmi_minhash_hash_nodes(&w);
    status = join_all(&w);
    if (status == SPMM_OK)
        emit(&w, permutation);
cleanup:
    spmmi_minhash_free(&w);
    return status;
}

spmm_status_t spmmi_permutation_minhash(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_reorder_minhash(in->units, in->cols, in->unit_ptr, in->col_ind, in->threads, permutation);
}
