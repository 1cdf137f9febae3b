/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the permutation by growing with a literal implementation that sums over all nodes, and checks it
 * on lattices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/permutation_units.h"
#include "tests/support/generated.h"

#define WINDOW 8
#define CLUSTER 64
#define HUB 64
#define SAMPLE 256
#define CANDIDATES 256

static uint32_t *permutation_of(const spmm_matrix_t *m, int threads)
{
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation);
    const struct spmmi_permutation_input in = {m->rows,           m->cols,    m->row_ptr, m->col_ind,
                                               (uint64_t)m->rows, m->row_ptr, NULL,       threads};
    assert_int_equal(spmmi_permutation_units(&in, SPMMI_REORDER_GROWING, permutation, NULL), SPMM_OK);
    return permutation;
}

/* ---- Written out ---- */

/* State of the literal implementation. A node is a set of rows with equal patterns. ever, in_cluster and
 * in_window count the rows of each node that joined; with counts_columns, all rows of each node that a joined
 * node has as a column. */
struct literal {
    const spmm_matrix_t *m;
    int64_t nodes, *node_of, *head, *size;
    char *edge; /* nodes * nodes flags: the first node's row has the second as a column */
    int counts_columns;
    char *is_taken, *is_listed, *is_beside;
    int64_t *ever, *in_cluster, *in_window;
    int64_t *list, *beside, listed, besides; /* in the order in which the nodes were listed */
    /* For each node, the rows that joined when the list was full and could not take the node. */
    int64_t *missed_cluster, *missed_window;
    int64_t filled;
};

static int64_t length_of(const spmm_matrix_t *m, int64_t i)
{
    return m->row_ptr[i + 1] - m->row_ptr[i];
}

static int same_rows(const spmm_matrix_t *m, int64_t i, int64_t j)
{
    return length_of(m, i) == length_of(m, j) &&
           memcmp(m->col_ind + m->row_ptr[i], m->col_ind + m->row_ptr[j],
                  (size_t)length_of(m, i) * sizeof *m->col_ind) == 0;
}

static void literal_nodes(struct literal *l)
{
    const spmm_matrix_t *const m = l->m;
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t node = 0;
        l->node_of[i] = -1;
        if (length_of(m, i) == 0)
            continue;
        while (node < l->nodes && !same_rows(m, i, l->head[node]))
            node++;
        if (node == l->nodes)
            l->head[l->nodes++] = i;
        l->node_of[i] = node;
        l->size[node]++;
    }
    for (int64_t s = 0; s < l->nodes; s++)
        for (int64_t p = m->row_ptr[l->head[s]]; p < m->row_ptr[l->head[s] + 1]; p++) {
            const int64_t t = l->node_of[m->col_ind[p]];
            if (t >= 0 && l->head[t] == m->col_ind[p])
                l->edge[s * m->rows + t] = 1;
        }
}

static int has_edge(const struct literal *l, int64_t s, int64_t t)
{
    return l->edge[s * l->m->rows + t];
}

static int64_t degree_of(const struct literal *l, int64_t s)
{
    int64_t degree = 0;
    for (int64_t t = 0; t < l->nodes; t++)
        degree += has_edge(l, s, t);
    return degree;
}

/* Returns the k-th neighbour of node s; -1 if there are not that many. */
static int64_t neighbour_of(const struct literal *l, int64_t s, int64_t k)
{
    for (int64_t t = 0; t < l->nodes; t++)
        if (has_edge(l, s, t) && k-- == 0)
            return t;
    return -1;
}

/* Returns true if in a sample of nodes fewer than one in eight neighbours of neighbours are neighbours. Only
 * the first HUB neighbours of a node count, and the two nodes themselves never do. */
static int literal_has_few_triangles(const struct literal *l)
{
    int64_t common = 0, all = 0, t = 0, u = 0;
    for (int64_t s = 0; s < l->nodes; s += l->nodes / SAMPLE + 1) {
        char *is_seen = test_zeroed(l->nodes, 1);
        for (int64_t j = 0; j < HUB && (t = neighbour_of(l, s, j)) >= 0; j++)
            is_seen[t] = 1;
        for (int64_t j = 0; j < HUB && (t = neighbour_of(l, s, j)) >= 0; j++)
            for (int64_t k = 0; k < HUB && s != t && (u = neighbour_of(l, t, k)) >= 0; k++) {
                all++;
                common += is_seen[u] && u != s && u != t;
            }
        free(is_seen);
    }
    return 8 * common < all;
}

/* Returns true if counting columns is cheap: the squared degrees, without hubs, are at most 14 per edge. */
static int literal_may_count_columns(const struct literal *l)
{
    int64_t readers = 0, all = 0;
    for (int64_t s = 0; s < l->nodes; s++) {
        const int64_t degree = degree_of(l, s);
        readers += degree > HUB ? 0 : degree * degree;
        all += degree;
    }
    return readers <= 14 * all;
}

static void list_neighbours(struct literal *l, int64_t s, int64_t rows)
{
    for (int64_t t = 0; t < l->nodes; t++) {
        if (l->is_taken[t] || !has_edge(l, s, t))
            continue;
        if (!l->is_listed[t] && l->listed == CANDIDATES) {
            l->missed_cluster[t] += rows;
            l->missed_window[t] += l->counts_columns ? 0 : rows;
            continue;
        }
        if (!l->is_listed[t])
            l->list[l->listed++] = t;
        if (!l->is_beside[t] && !l->counts_columns)
            l->beside[l->besides++] = t;
        l->is_listed[t] = 1;
        l->is_beside[t] = !l->counts_columns;
    }
}

static void literal_join(struct literal *l, int64_t s, int64_t rows)
{
    if (!l->counts_columns) {
        l->ever[s] += rows;
        l->in_cluster[s] += rows;
        l->in_window[s] += rows;
        list_neighbours(l, s, rows);
        return;
    }
    for (int64_t c = 0; c < l->nodes; c++) {
        if (!has_edge(l, s, c) || l->in_cluster[c] > 0 || degree_of(l, c) > HUB)
            continue;
        l->ever[c] = l->in_cluster[c] = l->size[c];
        list_neighbours(l, c, l->size[c]);
    }
}

static float value_of(const struct literal *l, int64_t t)
{
    int64_t sum = 0;
    for (int64_t s = 0; s < l->nodes; s++)
        sum += has_edge(l, s, t) ? l->ever[s] + 2 * l->in_cluster[s] + 4 * l->in_window[s] : 0;
    sum -= 2 * l->missed_cluster[t] + 4 * l->missed_window[t];
    return (float)sum * (1 / (float)length_of(l->m, l->head[t]));
}

/* Returns the best node of the list, or -1 if there is none. Removes nodes from the list that have been
 * taken. */
static int64_t literal_best(const struct literal *l, int64_t *list, int64_t *count)
{
    int64_t best = -1, left = 0;
    for (int64_t i = 0; i < *count; i++) {
        if (l->is_taken[list[i]])
            continue;
        best = best < 0 || value_of(l, list[i]) > value_of(l, best) ? list[i] : best;
        list[left++] = list[i];
    }
    *count = left;
    return best;
}

static void forget_window(struct literal *l)
{
    memset(l->in_window, 0, (size_t)l->m->rows * sizeof *l->in_window);
    memset(l->missed_window, 0, (size_t)l->m->rows * sizeof *l->missed_window);
    memset(l->is_beside, 0, (size_t)l->m->rows);
    l->besides = 0;
}

static void forget_cluster(struct literal *l)
{
    memset(l->in_cluster, 0, (size_t)l->m->rows * sizeof *l->in_cluster);
    memset(l->missed_cluster, 0, (size_t)l->m->rows * sizeof *l->missed_cluster);
    memset(l->is_listed, 0, (size_t)l->m->rows);
    l->listed = l->filled = 0;
}

static void literal_take(struct literal *l, int64_t node)
{
    l->is_taken[node] = 1;
    for (int64_t row = 0; row < l->size[node]; row++) {
        if (l->filled == CLUSTER)
            forget_cluster(l);
        literal_join(l, node, 1);
        if (++l->filled % WINDOW == 0)
            forget_window(l);
    }
}

static int64_t literal_next(struct literal *l)
{
    int64_t node = 0, best = -1;
    if (l->filled == CLUSTER) {
        memset(l->in_cluster, 0, (size_t)l->m->rows * sizeof *l->in_cluster);
        memset(l->missed_cluster, 0, (size_t)l->m->rows * sizeof *l->missed_cluster);
        best = literal_best(l, l->list, &l->listed);
        forget_cluster(l);
    } else {
        best = literal_best(l, l->beside, &l->besides);
        best = best >= 0 ? best : literal_best(l, l->list, &l->listed);
    }
    while (node < l->nodes && l->is_taken[node])
        node++;
    return best >= 0 ? best : node < l->nodes ? node : -1;
}

static uint32_t *literal_permutation(const spmm_matrix_t *m)
{
    struct literal l = {.m = m};
    int64_t **const numbers[] = {&l.node_of,   &l.head, &l.size,   &l.ever,           &l.in_cluster,
                                 &l.in_window, &l.list, &l.beside, &l.missed_cluster, &l.missed_window};
    char **const flags[] = {&l.is_taken, &l.is_listed, &l.is_beside};
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation), count = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = test_zeroed(m->rows, sizeof(int64_t));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i] = test_zeroed(m->rows, 1);
    l.edge = test_zeroed(m->rows * m->rows, 1);
    literal_nodes(&l);
    l.counts_columns = literal_may_count_columns(&l) && literal_has_few_triangles(&l);
    for (int64_t node = literal_next(&l); node >= 0; node = literal_next(&l)) {
        literal_take(&l, node);
        for (int64_t i = 0; i < m->rows; i++)
            if (l.node_of[i] == node)
                permutation[count++] = (uint32_t)i;
    }
    for (int64_t i = 0; i < m->rows; i++)
        if (l.node_of[i] < 0)
            permutation[count++] = (uint32_t)i;
    assert_int_equal(count, m->rows);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        free(*numbers[i]);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        free(*flags[i]);
    free(l.edge);
    return permutation;
}

static void is_what_is_written_out(void **state)
{
    static const char *const specs[] = {
        "gen:fem3:3:3:3",
        "gen:femshuf:4:4:3",
        "gen:lap27:6",
        "gen:lap27:2",
        "gen:qcd:2",
        "gen:qcd:3",
        "gen:band:190:3",
        "gen:block:64:8:2",
        "gen:rand:300:3",
        "gen:dense:70:70",
        "gen:diag:77",
        "gen:arrow:60",
        "gen:empty:50:50",
        "gen:empty:0:0",
        "gen:uniform:90:90:2",
        /* Cases with rows and columns beyond a hub and beyond the candidates of a cluster, with more nodes
         * than are sampled, with columns that are counted, and with columns that would take too long to
         * count. */
        "gen:arrow:500",
        "gen:powerlaw:400:400:9",
        "gen:rmat:9:9",
        "gen:rmat:10:6",
        "gen:uniform:600:600:3",
        "gen:uniform:600:600:13",
        "gen:uniform:600:600:16",
    };
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        spmm_matrix_t *m = test_generated(specs[i]);
        uint32_t *permutation = permutation_of(m, 1 + (int)i % 3), *expected = literal_permutation(m);
        for (int64_t k = 0; k < m->rows; k++)
            if (permutation[k] != expected[k])
                fail_msg("%s: row %u at %lld, %u is expected", specs[i], permutation[k], (long long)k,
                         expected[k]);
        free(expected);
        free(permutation);
        spmm_matrix_destroy(m);
    }
}

/* There are enough rows that threads share the search for equal patterns. */
static void threads_do_not_change_it(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:femshuf:14:14:14");
    uint32_t *one = permutation_of(m, 1), *four = permutation_of(m, 4);
    assert_true(m->rows > 4096);
    assert_memory_equal(one, four, (size_t)m->rows * sizeof *one);
    free(four);
    free(one);
    spmm_matrix_destroy(m);
}

/* Returns the sum of the working sets of row blocks of 64 rows. */
static int64_t working_sets(const spmm_matrix_t *m, const uint32_t *permutation)
{
    int64_t *block = test_zeroed(m->cols, sizeof *block), sum = 0;
    for (int64_t k = 0; k < m->rows; k++) {
        const int64_t i = permutation == NULL ? k : (int64_t)permutation[k];
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++) {
            sum += block[m->col_ind[p]] != k / CLUSTER + 1;
            block[m->col_ind[p]] = k / CLUSTER + 1;
        }
    }
    free(block);
    return sum;
}

/* In its own order, a row block of a lattice is a line of it. The lattice of qcd has no triangles. */
static void clusters_of_a_lattice_read_fewer_rows(void **state)
{
    static const struct {
        const char *spec;
        double share;
    } cases[] = {{"gen:lap27:30", 0.7}, {"gen:femshuf:12:12:12", 0.3}, {"gen:qcd:8", 0.93}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_matrix_t *m = test_generated(cases[i].spec);
        uint32_t *permutation = permutation_of(m, 1);
        assert_true((double)working_sets(m, permutation) < cases[i].share * (double)working_sets(m, NULL));
        free(permutation);
        spmm_matrix_destroy(m);
    }
}

static void rectangles_are_refused(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:uniform:40:30:3");
    uint32_t permutation[40];
    const struct spmmi_permutation_input in = {m->rows, m->cols,    m->row_ptr, m->col_ind,
                                               40,      m->row_ptr, NULL,       1};
    assert_int_equal(spmmi_permutation_units(&in, SPMMI_REORDER_GROWING, permutation, NULL),
                     SPMM_ERR_ARGUMENT);
    spmm_matrix_destroy(m);
}

/* Rows with thousands of neighbours, of which few can be candidates, and columns with thousands of
 * readers. */
static void hubs_end_in_a_permutation(void **state)
{
    static const char *const specs[] = {"gen:arrow:3000", "gen:powerlaw:5000:5000:3", "gen:rmat:12:9"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        spmm_matrix_t *m = test_generated(specs[i]);
        uint32_t *permutation = permutation_of(m, 1);
        uint8_t *is_there = test_zeroed(m->rows, 1);
        for (int64_t k = 0; k < m->rows; k++) {
            assert_true(permutation[k] < m->rows && !is_there[permutation[k]]);
            is_there[permutation[k]] = 1;
        }
        free(is_there);
        free(permutation);
        spmm_matrix_destroy(m);
    }
}

/* Lets each allocation fail. */
static void failing_allocations(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:femshuf:3:3:3");
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation);
    const struct spmmi_permutation_input in = {m->rows,           m->cols,    m->row_ptr, m->col_ind,
                                               (uint64_t)m->rows, m->row_ptr, NULL,       2};
    const int64_t live = spmmi_alloc_live();
    int64_t allocations = 0;
    for (int64_t k = -1; k < (allocations > 0 ? allocations : 1); k++) {
        spmmi_alloc_fail_at(k, 0);
        const spmm_status_t status = spmmi_permutation_units(&in, SPMMI_REORDER_GROWING, permutation, NULL);
        allocations = k < 0 ? spmmi_alloc_count() : allocations;
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, k < 0 ? SPMM_OK : SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_true(allocations >= 11);
    free(permutation);
    spmm_matrix_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_it),
        cmocka_unit_test(is_what_is_written_out),
        cmocka_unit_test(clusters_of_a_lattice_read_fewer_rows),
        cmocka_unit_test(hubs_end_in_a_permutation),
        cmocka_unit_test(rectangles_are_refused),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("reorder_growing", tests, NULL, NULL);
}
