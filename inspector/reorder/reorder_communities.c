/* SPDX-License-Identifier: Apache-2.0 */
/* Orders units by communities, which are found by label propagation. Units that read the same columns,
 * directly or through other units, become neighbours, so that a row of B is read again while it is still in a
 * cache.
 *
 * Units and columns are the two sides of a bipartite graph, and nonzeros are its edges. At first each unit is
 * a community of its own. A sweep assigns each column the most common community of its units, then each unit
 * the most common community of its columns. A hash that differs in each sweep breaks ties; otherwise low
 * labels would flood the graph. A community accepts no more units once it has its share of the nonzeros: hubs
 * connect most graphs, and a single community would be no order at all.
 *
 * Both halves of a sweep only read what the previous half wrote, and write one value per column or unit, so
 * threads share no written data. Units then move to their communities one by one, in ascending order. A sweep
 * takes O(nnz + units + columns) time, and there are SWEEPS of them. Memory: 4 bytes per nonzero, 16 per
 * column and 20 per unit, and 4 per unit and thread. */
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "format/plan.h"
#include "format/matrix/numbered_columns.h"
#include "permutation_units.h"

#define SWEEPS 4
#define THREADS_MAX 8        /* each thread counts in an array of `units` values */
#define GRAIN 4096           /* fewer units are processed by one thread */
#define COMMUNITY_SHARE 200  /* a community has at most 1 / COMMUNITY_SHARE of the nonzeros .. */
#define COMMUNITY_LEAST 4096 /* .. or this many, if that is more */

struct graph {
    uint64_t units;
    const int64_t *unit_ptr;
    struct spmmi_numbered_columns columns;
    int64_t *column_ptr;      /* pointers of the transpose */
    int32_t *column_units;    /* units of each column, ascending */
    uint32_t *column_label;   /* the community of each column */
    uint32_t *label, *wanted; /* community of each unit, and the community that it votes for */
    uint64_t *size;           /* nonzeros of each community */
    uint32_t *votes; /* number of votes per community, zero between nodes; `units` values per thread */
    int threads;
};

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Returns the most common label of `count` neighbours. The hash with `seed` breaks ties. */
static uint32_t most_common(const uint32_t *label, const int32_t *neighbour, int64_t count, uint32_t seed,
                            uint32_t *votes)
{
    uint32_t best = label[neighbour[0]], most = 0;
    for (int64_t p = 0; p < count; p++)
        votes[label[neighbour[p]]]++;
    for (int64_t p = 0; p < count; p++) {
        const uint32_t l = label[neighbour[p]], n = votes[l];
        if (n > most || (n > 0 && n == most && mix(l ^ seed) > mix(best ^ seed))) {
            best = l;
            most = n;
        }
        votes[l] = 0;
    }
    return best;
}

/* Sets wanted of each unit from the current communities of the units. */
static void vote(struct graph *g, uint32_t seed)
{
    const struct spmmi_numbered_columns *const columns = &g->columns;
#pragma omp parallel num_threads(spmmi_team(g->threads))
    {
        uint32_t *const votes = g->votes + (uint64_t)omp_get_thread_num() * g->units;
#pragma omp for schedule(dynamic, 256)
        for (int64_t j = 0; j < columns->cols; j++) {
            const int64_t first = g->column_ptr[j], count = g->column_ptr[j + 1] - first;
            if (count > 0)
                g->column_label[j] = most_common(g->label, g->column_units + first, count, seed, votes);
        }
#pragma omp for schedule(dynamic, 256)
        for (uint64_t u = 0; u < g->units; u++) {
            const int64_t first = g->unit_ptr[u], count = g->unit_ptr[u + 1] - first;
            if (count > 0)
                g->wanted[u] = most_common(g->column_label, columns->col_ind + first, count, seed, votes);
        }
    }
}

/* Moves each unit to its wanted community unless that is full. */
static void move(struct graph *g)
{
    const uint64_t share = (uint64_t)g->unit_ptr[g->units] / COMMUNITY_SHARE;
    const uint64_t room = share > COMMUNITY_LEAST ? share : COMMUNITY_LEAST;
    for (uint64_t u = 0; u < g->units; u++) {
        const uint64_t length = (uint64_t)(g->unit_ptr[u + 1] - g->unit_ptr[u]);
        const uint32_t from = g->label[u], to = g->wanted[u];
        if (length == 0 || from == to || g->size[to] + length > room)
            continue;
        g->size[from] -= length;
        g->size[to] += length;
        g->label[u] = to;
    }
}

/* Writes the units by community, ascending within a community, then the units without nonzeros. */
static void sort_units(struct graph *g, uint32_t *permutation)
{
    uint32_t *const next = g->wanted; /* position of the next unit of each community */
    uint32_t first = 0;
    memset(next, 0, (size_t)g->units * sizeof *next);
    for (uint64_t u = 0; u < g->units; u++)
        if (g->unit_ptr[u + 1] > g->unit_ptr[u])
            next[g->label[u]]++;
    for (uint64_t l = 0; l < g->units; l++) {
        const uint32_t count = next[l];
        next[l] = first;
        first += count;
    }
    for (uint64_t u = 0; u < g->units; u++)
        permutation[g->unit_ptr[u + 1] > g->unit_ptr[u] ? next[g->label[u]]++ : first++] = (uint32_t)u;
}

static spmm_status_t build(const struct spmmi_permutation_input *in, struct graph *g)
{
    spmm_status_t status = SPMM_OK;
    const int64_t nnz = in->unit_ptr[in->units];
    if (spmmi_columns_are_many(in->cols, nnz))
        status = spmmi_columns_number(&g->columns, nnz, 1, in->threads);
    if (status != SPMM_OK)
        return status;
    const uint64_t cols = (uint64_t)g->columns.cols;
    g->column_ptr = spmmi_alloc(cols + 1, sizeof *g->column_ptr);
    g->column_units = spmmi_alloc((uint64_t)nnz, sizeof *g->column_units);
    g->column_label = spmmi_alloc(cols, sizeof *g->column_label);
    g->label = spmmi_alloc(in->units, sizeof *g->label);
    g->wanted = spmmi_alloc(in->units, sizeof *g->wanted);
    g->size = spmmi_alloc(in->units, sizeof *g->size);
    g->votes = spmmi_alloc_zero((uint64_t)g->threads * in->units, sizeof *g->votes);
    if (g->column_ptr == NULL || g->column_units == NULL || g->column_label == NULL || g->label == NULL ||
        g->wanted == NULL || g->size == NULL || g->votes == NULL)
        return SPMM_ERR_MEMORY;
    for (uint64_t u = 0; u < in->units; u++) {
        g->label[u] = (uint32_t)u;
        g->size[u] = (uint64_t)(in->unit_ptr[u + 1] - in->unit_ptr[u]);
    }
    return spmmi_transpose((int64_t)in->units, (int64_t)cols, in->unit_ptr, g->columns.col_ind, g->column_ptr,
                           g->column_units, NULL);
}

static void graph_free(struct graph *g)
{
    spmmi_free(g->votes);
    spmmi_free(g->size);
    spmmi_free(g->wanted);
    spmmi_free(g->label);
    spmmi_free(g->column_label);
    spmmi_free(g->column_units);
    spmmi_free(g->column_ptr);
    spmmi_numbered_columns_free(&g->columns);
}

spmm_status_t spmmi_permutation_communities(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    struct graph g = {.units = in->units,
                      .unit_ptr = in->unit_ptr,
                      .columns = spmmi_columns_own(in->cols, in->col_ind),
                      .threads = in->units < GRAIN           ? 1
                                 : in->threads > THREADS_MAX ? THREADS_MAX
                                                             : in->threads};
    const spmm_status_t status = build(in, &g);
    if (status == SPMM_OK) {
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
            vote(&g, mix(sweep));
            move(&g);
        }
        sort_units(&g, permutation);
    }
    graph_free(&g);
    return status;
}
