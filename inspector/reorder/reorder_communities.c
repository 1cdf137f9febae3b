/* SPDX-License-Identifier: Apache-2.0 */
/* Units in the order of communities, found by label propagation: units that read the same columns, directly or through
 * units between them, become neighbours, so that a row of B is read again while it is still in a cache.
 *
 * Units and columns are the two sides of a graph, nonzeros its edges. At first each unit is a community of its own.
 * A sweep gives each column the community that most of its units are of, then each unit the community of most of its
 * columns. Among several of them one is drawn by a hash, another one in each sweep: else labels of low numbers would
 * flood the graph. A community takes no more units when it has a share of the nonzeros: hubs hold most graphs
 * together, and a single community would be no order at all.
 *
 * Both halves of a sweep read what the half before it wrote and write a value of their own for each column or unit, so
 * that threads share nothing; communities take units one by one, in the order of units. A sweep takes O(nnz + units +
 * columns) time, and there are SWEEPS. Memory: 4 bytes a nonzero, 16 a column and 20 a unit, and 4 a unit for
 * each thread. */
#include <string.h>

#include <omp.h>

#include "format/base/alloc.h"
#include "format/base/team.h"
#include "format/plan.h"
#include "format/matrix/numbered_columns.h"
#include "permutation_units.h"

#define SWEEPS 4
#define THREADS_MAX 8        /* each counts in an array over all units */
#define GRAIN 4096           /* units below which one thread does it all */
#define COMMUNITY_SHARE 200  /* a community has at most this part of the nonzeros .. */
#define COMMUNITY_LEAST 4096 /* .. or so many */

struct graph {
    uint64_t units;
    const int64_t *unit_ptr;
    struct spmmi_numbered_columns columns;
    int64_t *column_ptr;      /* of the transpose */
    int32_t *column_units;    /* units of each column, ascending */
    uint32_t *column_label;   /* the community of each column */
    uint32_t *label, *wanted; /* the community of each unit, and the one that it would be of */
    uint64_t *size;           /* nonzeros of each community */
    uint32_t *votes;          /* of communities, zero between nodes; units of each thread */
    int threads;
};

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The label that most of the count neighbours have. */
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

/* wanted of each unit, from the communities that units are of now. */
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

/* Units go where they want to be, as far as there is room. */
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

/* Units by community, those without nonzeros last; within one they stay ascending. */
static void sort_units(struct graph *g, uint32_t *permutation)
{
    uint32_t *const next = g->wanted; /* where the next unit of each community goes */
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
