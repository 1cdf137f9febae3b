/* SPDX-License-Identifier: Apache-2.0 */
/* See reorder_rcm.h. The neighbours of row i are its columns, plus in a separate list the rows j that hold
 * column i while row i does not hold column j. So nothing is stored twice, and nothing at all for a symmetric
 * pattern. */
#include "reorder_rcm.h"

#include <stdbool.h>
#include <string.h>

#include "format/base/alloc.h"
#include "permutation_units.h"

#define FEW 16 /* up to this many rows are sorted by insertion */

struct graph {
    int64_t rows;
    const int64_t *row_ptr;
    const int32_t *col_ind;
    int64_t *mirror_ptr; /* rows + 2 values; the last one is used only during construction */
    uint32_t *mirrors;   /* of row j: ascending rows i with a nonzero (i, j) and none at (j, i) */
    uint32_t *degree;    /* number of neighbours without the row itself */
    bool *is_seen;       /* by the current search, or already in the order */
    /* The order. A search stores the rows that it reached after the finished part. */
    uint32_t *list;
};

/* Levels of a search: their number, and the range list[last .. end) of the last level. */
struct levels {
    uint64_t count, last, end;
};

/* ---- The pattern of A + A^T ---- */

/* Returns true if row j holds column i. Calls must have ascending i: next[j] is the first nonzero whose
 * column is at least that of the last call. */
static bool holds(const struct graph *g, int64_t *next, int32_t j, int64_t i)
{
    const int64_t end = g->row_ptr[j + INT64_C(1)];
    int64_t p = next[j];
    while (p < end && g->col_ind[p] < i)
        p++;
    next[j] = p;
    return p < end && g->col_ind[p] == i;
}

/* Computes degrees, and the number of mirrors of row j in mirror_ptr[j + 2]. Returns the total number of
 * mirrors. */
static int64_t count_neighbours(struct graph *g, int64_t *next)
{
    int64_t mirrors = 0;
    memcpy(next, g->row_ptr, (size_t)g->rows * sizeof *next);
    for (int64_t i = 0; i < g->rows; i++) {
        for (int64_t p = g->row_ptr[i]; p < g->row_ptr[i + 1]; p++) {
            const int32_t j = g->col_ind[p];
            if (j == i)
                continue;
            g->degree[i]++;
            if (holds(g, next, j, i))
                continue;
            g->degree[j]++;
            g->mirror_ptr[j + INT64_C(2)]++;
            mirrors++;
        }
    }
    return mirrors;
}

/* Writes the mirrors. mirror_ptr[j + 1] starts at the first mirror of row j and ends after its last one. */
static void write_mirrors(struct graph *g, int64_t *next)
{
    for (int64_t j = 0; j < g->rows; j++)
        g->mirror_ptr[j + 2] += g->mirror_ptr[j + 1];
    memcpy(next, g->row_ptr, (size_t)g->rows * sizeof *next);
    for (int64_t i = 0; i < g->rows; i++) {
        for (int64_t p = g->row_ptr[i]; p < g->row_ptr[i + 1]; p++) {
            const int32_t j = g->col_ind[p];
            if (j != i && !holds(g, next, j, i))
                g->mirrors[g->mirror_ptr[j + INT64_C(1)]++] = (uint32_t)i;
        }
    }
}

static spmm_status_t build_graph(struct graph *g)
{
    spmm_status_t status = SPMM_ERR_MEMORY;
    const uint64_t rows = (uint64_t)g->rows;
    int64_t *next = spmmi_alloc(rows, sizeof *next);
    g->mirror_ptr = spmmi_alloc_zero(rows + 2, sizeof *g->mirror_ptr);
    g->degree = spmmi_alloc_zero(rows, sizeof *g->degree);
    g->is_seen = spmmi_alloc_zero(rows, sizeof *g->is_seen);
    if (next == NULL || g->mirror_ptr == NULL || g->degree == NULL || g->is_seen == NULL)
        goto cleanup;
    const int64_t mirrors = count_neighbours(g, next);
    g->mirrors = spmmi_alloc((uint64_t)mirrors, sizeof *g->mirrors);
    if (g->mirrors == NULL)
        goto cleanup;
    if (mirrors > 0)
        write_mirrors(g, next);
    status = SPMM_OK;
cleanup:
    spmmi_free(next);
    return status;
}

static void free_graph(struct graph *g)
{
    spmmi_free(g->mirrors);
    spmmi_free(g->is_seen);
    spmmi_free(g->degree);
    spmmi_free(g->mirror_ptr);
}

/* ---- Searches ---- */

/* Appends the unseen neighbours of a row to the list. Returns the new end of the list. */
static uint64_t append_neighbours(struct graph *g, uint32_t row, uint64_t end)
{
    for (int64_t p = g->row_ptr[row]; p < g->row_ptr[row + INT64_C(1)]; p++) {
        const uint32_t j = (uint32_t)g->col_ind[p];
        if (!g->is_seen[j]) {
            g->is_seen[j] = true;
            g->list[end++] = j;
        }
    }
    for (int64_t p = g->mirror_ptr[row]; p < g->mirror_ptr[row + INT64_C(1)]; p++) {
        const uint32_t j = g->mirrors[p];
        if (!g->is_seen[j]) {
            g->is_seen[j] = true;
            g->list[end++] = j;
        }
    }
    return end;
}

/* Writes all rows that are reachable from root, level by level, to the list from index `first`. They are
 * marked unseen again afterwards. */
static struct levels search(struct graph *g, uint64_t first, uint32_t root)
{
    struct levels levels = {0, first, first + 1};
    uint64_t begin = first;
    g->list[first] = root;
    g->is_seen[root] = true;
    while (begin < levels.end) {
        const uint64_t end = levels.end;
        levels.last = begin;
        levels.count++;
        for (; begin < end; begin++)
            levels.end = append_neighbours(g, g->list[begin], levels.end);
    }
    for (uint64_t i = first; i < levels.end; i++)
        g->is_seen[g->list[i]] = false;
    return levels;
}

/* The order of neighbours: by ascending degree, then by descending row. */
static bool before(const struct graph *g, uint32_t a, uint32_t b)
{
    return g->degree[a] != g->degree[b] ? g->degree[a] < g->degree[b] : a > b;
}

/* Returns a pseudo-peripheral row of the component of root. */
static uint32_t find_rim(struct graph *g, uint64_t first, uint32_t root)
{
    uint64_t known = 0;
    for (int i = 0; i < SPMMI_RCM_SEARCHES; i++) {
        const struct levels levels = search(g, first, root);
        if (levels.count <= known)
            break;
        known = levels.count;
        root = g->list[levels.last];
        for (uint64_t k = levels.last + 1; k < levels.end; k++)
            root = before(g, g->list[k], root) ? g->list[k] : root;
    }
    return root;
}

/* ---- The order ---- */

static void insertion_sort(const struct graph *g, uint32_t *list, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const uint32_t moved = list[i];
        uint64_t k = i;
        for (; k > 0 && before(g, moved, list[k - 1]); k--)
            list[k] = list[k - 1];
        list[k] = moved;
    }
}

/* Restores the heap of `count` rows from list[at] down. The row that comes last in the order is on top. */
static void sink(const struct graph *g, uint32_t *list, uint64_t at, uint64_t count)
{
    const uint32_t moved = list[at];
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && before(g, list[child], list[child + 1]))
            child++;
        if (!before(g, moved, list[child]))
            break;
        list[at] = list[child];
        at = child;
    }
    list[at] = moved;
}

static void sort(const struct graph *g, uint32_t *list, uint64_t count)
{
    if (count <= FEW) {
        insertion_sort(g, list, count);
        return;
    }
    for (uint64_t i = count / 2; i > 0; i--)
        sink(g, list, i - 1, count);
    for (uint64_t left = count - 1; left > 0; left--) {
        const uint32_t last = list[0];
        list[0] = list[left];
        list[left] = last;
        sink(g, list, 0, left);
    }
}

/* Orders the component of root from position `first`. Returns the position after its last row. */
static uint64_t permutation_component(struct graph *g, uint64_t first, uint32_t root)
{
    uint64_t end = first + 1;
    g->list[first] = root;
    g->is_seen[root] = true;
    for (uint64_t i = first; i < end; i++) {
        const uint64_t begin = end;
        end = append_neighbours(g, g->list[i], end);
        sort(g, g->list + begin, end - begin);
    }
    for (uint64_t low = first, high = end - 1; low < high; low++, high--) {
        const uint32_t row = g->list[low];
        g->list[low] = g->list[high];
        g->list[high] = row;
    }
    return end;
}

spmm_status_t spmmi_reorder_rcm(int64_t rows, int64_t cols, const int64_t *row_ptr, const int32_t *col_ind,
                                uint32_t *permutation)
{
    if (rows != cols)
        return SPMM_ERR_ARGUMENT;
    struct graph g = {.rows = rows, .row_ptr = row_ptr, .col_ind = col_ind, .list = permutation};
    const spmm_status_t status = build_graph(&g);
    uint64_t done = 0;
    for (int64_t i = 0; status == SPMM_OK && i < rows; i++) {
        if (!g.is_seen[i])
            done = permutation_component(&g, done, find_rim(&g, done, (uint32_t)i));
    }
    free_graph(&g);
    return status;
}

static spmm_status_t rcm_of_rows(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_reorder_rcm(in->rows, in->cols, in->row_ptr, in->col_ind, permutation);
}

spmm_status_t spmmi_permutation_rcm(const struct spmmi_permutation_input *in, uint32_t *permutation)
{
    return spmmi_permutation_by_rows(in, rcm_of_rows, permutation);
}
