/* SPDX-License-Identifier: Apache-2.0 */
/* Grows clusters of rows one by one (greedy graph growing): in each step the row that is next to most rows of
 * the cluster joins, until the cluster fills a row block. On a mesh or a lattice, clusters become round,
 * whereas the order of A has slices; the rows of a round cluster read fewer different rows of B.
 * docs/decisions/0084 has measurements.
 *
 * Rows with equal patterns form a node, such as the rows of one mesh node. The graph is the graph of A, which
 * is assumed to be structurally symmetric. The value of a node counts the rows of its neighbours that have
 * been taken: rows of the current row window count most, then rows of the cluster. Rows of earlier clusters
 * count least; they count because the node would otherwise be left over between clusters. The sum is divided
 * by the length of the row. A cluster starts with the neighbour of the last cluster that has the largest
 * share of taken neighbours. If neighbours have few neighbours in common, as in a lattice without diagonals,
 * adjacent rows share no columns. Then the columns that a node shares with the cluster are counted instead.
 *
 * O(nnz) time, or O(nnz * COLUMN_WORK) if common columns are counted, which is done only where this bound
 * holds. One thread, except for the search for equal patterns. Memory: 4 bytes per nonzero of a node, 64 per
 * row. */
#include "format/base/alloc.h"
#include "minhash.h"
#include "permutation_units.h"

#define WINDOW_ROWS 8
#define CLUSTER_ROWS 64
/* These constants and the weights below were chosen by hand on the matrices of docs/decisions/0084. */
#define CANDIDATES_MAX 256
#define HUB 64     /* longer columns are not counted; of longer rows this many neighbours are compared */
#define SAMPLE 256 /* number of nodes whose neighbours are compared */
#define COMMON_NEIGHBOURS 8 /* common columns count if fewer than one of this many neighbours is common */
/* Maximum number of nodes to update per nonzero, if no columns were shared. The lattices of qcd and wilson
 * need 9 and 13. On random graphs that need more, the search costs more time than the clusters gain. */
#define COLUMN_WORK 14
/* Additional weights of rows in the current cluster and window. A taken row of any cluster has weight 1. */
#define OF_CLUSTER 2
#define OF_WINDOW 4
#define NONE UINT32_MAX

/* Number of taken rows that a node is next to, or of columns that it shares with them if common columns are
 * counted. */
struct nearness {
    uint32_t any, cluster, window;
    float inverse; /* 1 / length of the node's row; 0: the node is taken */
};

struct list {
    uint32_t nodes[CANDIDATES_MAX], count;
};

struct growth {
    struct spmmi_minhash patterns; /* the nodes and the lists of their rows */
    uint32_t *node_of;             /* the node of each row; NONE: the row has no nonzeros */
    /* Nodes + 1 values: the neighbours of node i are neighbours[first[i] .. first[i + 1]]. */
    const int64_t *first;
    const int32_t *neighbours;
    int64_t *own_first; /* storage of first and neighbours if they are not the arrays of A */
    int32_t *own_neighbours;
    struct nearness *near;
    /* Per node, as a column: the last cluster that reads it; 0: none. */
    uint32_t *read_by;
    struct list candidates, beside; /* nodes next to the cluster, and next to the current window */
    uint32_t cluster, filled;       /* number of the cluster, from 1, and number of its rows */
    uint32_t next;                  /* all nodes with lower numbers are taken */
    int counts_columns;
};

static int64_t degree_of(const struct growth *g, uint32_t node)
{
    return g->first[node + INT64_C(1)] - g->first[node];
}

static void add(struct list *l, uint32_t node)
{
    l->nodes[l->count++] = node;
}

/* Adds `rows` taken rows to the counts of the neighbours of a node that are not taken. `any` grows only if
 * is_new. */
static void raise_neighbours(struct growth *g, uint32_t node, uint32_t rows, int is_new)
{
    for (int64_t p = g->first[node]; p < g->first[node + INT64_C(1)]; p++) {
        const uint32_t t = (uint32_t)g->neighbours[p];
        struct nearness *const n = &g->near[t];
        if (n->inverse == 0)
            continue;
        n->any += is_new ? rows : 0;
        if (n->cluster == 0 && g->candidates.count == CANDIDATES_MAX)
            continue;
        if (n->cluster == 0)
            add(&g->candidates, t);
        n->cluster += rows;
        if (g->counts_columns)
            continue;
        if (n->window == 0)
            add(&g->beside, t); /* these are all candidates, so the list can hold them */
        n->window += rows;
    }
}

/* Updates the counts after `rows` rows of a node have been taken. If common columns count, each column that
 * is new to the cluster updates its own neighbours. */
static void raise(struct growth *g, uint32_t node, uint32_t rows)
{
    if (!g->counts_columns) {
        raise_neighbours(g, node, rows, 1);
        return;
    }
    for (int64_t p = g->first[node]; p < g->first[node + INT64_C(1)]; p++) {
        const uint32_t column = (uint32_t)g->neighbours[p], reader = g->read_by[column];
        g->read_by[column] = g->cluster;
        if (reader != g->cluster && degree_of(g, column) <= HUB)
            raise_neighbours(g, column, g->patterns.size[column], reader == 0);
    }
}

static void begin_window(struct growth *g)
{
    for (uint32_t i = 0; i < g->beside.count; i++)
        g->near[g->beside.nodes[i]].window = 0;
    g->beside.count = 0;
}

static void leave_cluster(struct growth *g)
{
    for (uint32_t i = 0; i < g->candidates.count; i++)
        g->near[g->candidates.nodes[i]].cluster = 0;
}

static void begin_cluster(struct growth *g)
{
    leave_cluster(g);
    g->candidates.count = 0;
    g->filled = 0;
    g->cluster++;
}

/* Takes a node, one row window at a time; starts a cluster when the current one is full. */
static void take(struct growth *g, uint32_t node)
{
    uint32_t left = g->patterns.size[node];
    g->near[node].inverse = 0;
    while (left > 0) {
        const uint32_t room = WINDOW_ROWS - g->filled % WINDOW_ROWS, rows = left < room ? left : room;
        if (g->filled == CLUSTER_ROWS)
            begin_cluster(g);
        raise(g, node, rows);
        g->filled += rows;
        left -= rows;
        if (g->filled % WINDOW_ROWS == 0)
            begin_window(g);
    }
}

static float value_of(const struct nearness *n)
{
    return (float)(n->any + OF_CLUSTER * n->cluster + OF_WINDOW * n->window) * n->inverse;
}

/* Returns the node with the largest value, the first one if several are equal; NONE: all are taken. Removes
 * taken nodes from the list. */
static uint32_t best_of(const struct growth *g, struct list *l)
{
    uint32_t best = NONE, left = 0;
    float most = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t node = l->nodes[i];
        const float value = value_of(&g->near[node]);
        if (g->near[node].inverse == 0)
            continue;
        l->nodes[left++] = node;
        best = value > most ? node : best;
        most = value > most ? value : most;
    }
    l->count = left;
    return best;
}

/* Returns the first node of the next cluster, and starts the cluster. NONE: there is no candidate. */
static uint32_t next_seed(struct growth *g)
{
    leave_cluster(g);
    const uint32_t best = best_of(g, &g->candidates);
    begin_cluster(g);
    return best;
}

/* Returns the node to take next: the best one next to the window, else next to the cluster, else the first
 * one that is not taken. NONE: all are taken. */
static uint32_t next_node(struct growth *g)
{
    uint32_t node = NONE;
    if (g->filled == CLUSTER_ROWS)
        node = next_seed(g);
    else if ((node = best_of(g, &g->beside)) == NONE)
        node = best_of(g, &g->candidates);
    while (g->next < g->patterns.nodes && g->near[g->next].inverse == 0)
        g->next++;
    return node != NONE ? node : g->next < g->patterns.nodes ? g->next : NONE;
}

static void grow(struct growth *g, uint32_t *permutation)
{
    uint64_t count = 0;
    for (uint32_t node = next_node(g); node != NONE; node = next_node(g)) {
        take(g, node);
        for (uint32_t row = g->patterns.head[node]; row != NONE; row = g->patterns.next[row])
            permutation[count++] = row;
    }
    for (uint32_t row = 0; row < g->patterns.units; row++)
        if (g->node_of[row] == NONE)
            permutation[count++] = row;
}

/* Returns true if counting common columns is cheap enough. The estimate is an upper bound: each reader of a
 * column updates all rows that read it, as if no two readers were in the same cluster. */
static int may_count_columns(const struct growth *g)
{
    int64_t raised = 0;
    for (uint32_t node = 0; node < g->patterns.nodes; node++) {
        const int64_t degree = degree_of(g, node);
        raised += degree <= HUB ? degree * degree : 0;
    }
    return raised <= COLUMN_WORK * (g->first[g->patterns.nodes] - g->first[0]);
}

/* Returns true if neighbours have too few neighbours in common. Compares some neighbours of a sample of
 * nodes. */
static int has_few_triangles(const struct growth *g)
{
    const uint32_t nodes = g->patterns.nodes, step = nodes / SAMPLE + 1;
    int64_t common = 0, all = 0;
    for (uint32_t s = 0; s < nodes; s += step) {
        const int32_t *const of_s = g->neighbours + g->first[s];
        const int64_t count = degree_of(g, s) < HUB ? degree_of(g, s) : HUB;
        for (int64_t k = 0; k < count; k++)
            g->read_by[of_s[k]] = 1;
        for (int64_t k = 0; k < count; k++) {
            const uint32_t t = (uint32_t)of_s[k];
            for (int64_t p = 0; p < degree_of(g, t) && p < HUB && t != s; p++) {
                const uint32_t of_t = (uint32_t)g->neighbours[g->first[t] + p];
                all++;
                common += g->read_by[of_t] != 0 && of_t != s && of_t != t;
            }
        }
        for (int64_t k = 0; k < count; k++)
            g->read_by[of_s[k]] = 0;
    }
    return COMMON_NEIGHBOURS * common < all;
}

/* Builds the graph of the nodes: the neighbours of a node are the nodes whose first row is a column of its
 * rows. */
static spmm_status_t link_nodes(struct growth *g)
{
    const struct spmmi_minhash *const w = &g->patterns;
    int64_t count = 0;
    for (uint32_t node = 0; node < w->nodes; node++)
        count += spmmi_minhash_length(w, w->head[node]);
    g->first = g->own_first = spmmi_alloc((uint64_t)w->nodes + 1, sizeof *g->own_first);
    g->neighbours = g->own_neighbours = spmmi_alloc((uint64_t)count, sizeof *g->own_neighbours);
    if (g->first == NULL || g->neighbours == NULL)
        return SPMM_ERR_MEMORY;
    count = 0;
    for (uint32_t node = 0; node < w->nodes; node++) {
        const int32_t *const columns = spmmi_minhash_columns(w, w->head[node]);
        g->own_first[node] = count;
        for (int64_t p = 0; p < spmmi_minhash_length(w, w->head[node]); p++) {
            const uint32_t t = g->node_of[columns[p]];
            if (t != NONE && w->head[t] == (uint32_t)columns[p])
                g->own_neighbours[count++] = (int32_t)t;
        }
    }
    g->own_first[w->nodes] = count;
    return SPMM_OK;
}

/* Allocates the counts and sets first and neighbours. If each row is a node of its own, the graph is A. */
static spmm_status_t link_graph(struct growth *g)
{
    const struct spmmi_minhash *const w = &g->patterns;
    g->near = spmmi_alloc_zero(w->nodes, sizeof *g->near);
    g->read_by = spmmi_alloc_zero(w->nodes, sizeof *g->read_by);
    if (g->near == NULL || g->read_by == NULL)
        return SPMM_ERR_MEMORY;
    for (uint32_t node = 0; node < w->nodes; node++)
        g->near[node].inverse = 1 / (float)spmmi_minhash_length(w, w->head[node]);
    if (w->nodes < w->units)
        return link_nodes(g);
    g->first = w->unit_ptr;
    g->neighbours = w->col_ind;
    return SPMM_OK;
}

static spmm_status_t build(struct growth *g)
{
    struct spmmi_minhash *const w = &g->patterns;
    g->node_of = spmmi_alloc(w->units, sizeof *g->node_of);
    w->sorted = spmmi_alloc(w->units, sizeof *w->sorted);
    w->spare = spmmi_alloc(w->units, sizeof *w->spare);
    if (g->node_of == NULL || w->sorted == NULL || w->spare == NULL ||
        spmmi_minhash_find_nodes(w, g->node_of) != SPMM_OK)
        return SPMM_ERR_MEMORY;
    return link_graph(g);
}

static void growth_free(struct growth *g)
{
    spmmi_free(g->read_by);
    spmmi_free(g->near);
    spmmi_free(g->own_neighbours);
    spmmi_free(g->own_first);
    spmmi_minhash_free(&g->patterns);
    spmmi_free(g->node_of);
}

static spmm_status_t grow_rows(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    struct growth g = {.patterns = {.units = (uint64_t)in->rows,
                                    .cols = in->cols,
                                    .unit_ptr = in->row_ptr,
                                    .col_ind = in->col_ind,
                                    .threads = in->threads},
                       .filled = CLUSTER_ROWS};
    const spmm_status_t status = build(&g);
    if (status == SPMM_OK) {
        g.counts_columns = may_count_columns(&g) && has_few_triangles(&g);
        grow(&g, permutation);
    }
    growth_free(&g);
    return status;
}

spmm_status_t spmmi_permutation_growing(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_permutation_by_rows(in, grow_rows, permutation);
}
