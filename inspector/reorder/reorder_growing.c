/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in clusters that are grown one by one (greedy graph growing): each time the row joins that is next to most rows
 * of the cluster, until it fills a row block. On a mesh or a lattice clusters become round, where the order of A has
 * slices: their rows read fewer different rows of B. docs/decisions/0084 has measurements.
 *
 * Rows of one pattern are a node, as the rows of a mesh node are. The graph is that of A, which is taken for
 * structurally symmetric. What counts is, of a node's neighbours, the rows that the cluster has, most of all those in
 * the row window that is being filled, and less those that any cluster has, as the node would be left over between
 * clusters; all of it over the length of its row. A cluster begins with the neighbour of the last one of whose
 * neighbours most rows are taken. Where neighbours have few neighbours in common, as in a lattice without diagonals,
 * rows next to each other share no columns; then the columns count that a node shares with the cluster.
 *
 * O(nnz) time, with common columns O(nnz * COLUMN_WORK), as they count only where that is enough; one thread but for
 * equal patterns. Memory: 4 bytes a nonzero of a node, 64 a row. */
#include "format/base/alloc.h"
#include "minhash.h"
#include "permutation_units.h"

#define WINDOW_ROWS 8
#define CLUSTER_ROWS 64
/* These constants, and what rows count, were chosen by hand on the matrices of docs/decisions/0084. */
#define CANDIDATES_MAX 256
#define HUB 64     /* longer columns do not count; of longer rows, the neighbours that are compared */
#define SAMPLE 256 /* nodes whose neighbours are compared */
#define COMMON_NEIGHBOURS 8 /* one in so many, at least, or common columns count */
/* Nodes that are raised for each nonzero, if no columns were shared: 9 and 13 in the lattices of qcd and wilson. Random
 * graphs with more lose more time than clusters gain. */
#define COLUMN_WORK 14
/* What rows count, those of any cluster once. */
#define OF_CLUSTER 2
#define OF_WINDOW 4
#define NONE UINT32_MAX

/* Rows, or with common columns columns, that a node is next to. */
struct nearness {
    uint32_t any, cluster, window;
    float inverse; /* of all of them; 0: the node is taken */
};

struct list {
    uint32_t nodes[CANDIDATES_MAX], count;
};

struct growth {
    struct spmmi_minhash patterns; /* nodes and their rows */
    uint32_t *node_of;             /* each row; NONE: it has no nonzeros */
    const int64_t *first;          /* neighbours of each node, nodes + 1 */
    const int32_t *neighbours;
    int64_t *own_first; /* the two where they are not those of A */
    int32_t *own_neighbours;
    struct nearness *near;
    uint32_t *read_by; /* of each node, as a column: the last cluster that reads it; 0: none does */
    struct list candidates, beside; /* next to the cluster; next to the window */
    uint32_t cluster, filled;       /* its number, from 1 on, and rows */
    uint32_t next;                  /* nodes before it are taken */
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

/* The neighbours of a node that joins with so many rows. */
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
            add(&g->beside, t); /* all of which are candidates: there is room */
        n->window += rows;
    }
}

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

/* The best node, of several the first; NONE: all are taken. Those that are taken are dropped. */
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

/* The first node of the next cluster. */
static uint32_t next_seed(struct growth *g)
{
    leave_cluster(g);
    const uint32_t best = best_of(g, &g->candidates);
    begin_cluster(g);
    return best;
}

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

/* Is counting common columns cheap enough? Each reader of a column raises all its rows, where no cluster has two. */
static int may_count_columns(const struct growth *g)
{
    int64_t raised = 0;
    for (uint32_t node = 0; node < g->patterns.nodes; node++) {
        const int64_t degree = degree_of(g, node);
        raised += degree <= HUB ? degree * degree : 0;
    }
    return raised <= COLUMN_WORK * (g->first[g->patterns.nodes] - g->first[0]);
}

/* Do neighbours have too few neighbours in common? Of a node each, of which some are compared. */
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

/* Neighbours of nodes: the columns of their rows that are the first of a node. */
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

/* Where each row is a node, their graph is A. */
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
