/* SPDX-License-Identifier: Apache-2.0 */
/* Compares reverse Cuthill-McKee with a literal implementation on a dense matrix of flags, and checks
 * bandwidths. */
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
#include "inspector/reorder/reorder_rcm.h"

/* The pattern of A + A^T without its diagonal, as rows * rows flags. */
struct flags {
    int64_t rows;
    char *set, *is_done;
    int64_t *degree, *level;
};

static struct flags symmetrise(const spmm_matrix_t *m)
{
    struct flags f = {m->rows, calloc((size_t)(m->rows * m->rows) + 1, 1), calloc((size_t)m->rows + 1, 1),
                      calloc((size_t)m->rows + 1, sizeof *f.degree),
                      calloc((size_t)m->rows + 1, sizeof *f.level)};
    assert_true(f.set != NULL && f.is_done != NULL && f.degree != NULL && f.level != NULL);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++) {
            const int64_t j = m->col_ind[p];
            f.set[i * f.rows + j] = f.set[j * f.rows + i] = i != j;
        }
    }
    for (int64_t i = 0; i < f.rows * f.rows; i++)
        f.degree[i / f.rows] += f.set[i];
    return f;
}

static void free_flags(struct flags *f)
{
    free(f->set);
    free(f->is_done);
    free(f->degree);
    free(f->level);
}

/* Sets level[i] to the distance of row i from the root, -1 if it cannot be reached. Returns the largest
 * distance. */
static int64_t measure_levels(struct flags *f, int64_t root)
{
    int64_t deepest = 0;
    for (int64_t i = 0; i < f->rows; i++)
        f->level[i] = i == root ? 0 : -1;
    for (int64_t depth = 0; depth <= deepest; depth++) {
        for (int64_t i = 0; i < f->rows; i++) {
            for (int64_t j = 0; f->level[i] == depth && j < f->rows; j++) {
                if (f->set[i * f->rows + j] && f->level[j] < 0)
                    deepest = f->level[j] = depth + 1;
            }
        }
    }
    return deepest;
}

static int64_t literal_rim(struct flags *f, int64_t root)
{
    for (int64_t searches = 0, known = -1; searches < SPMMI_RCM_SEARCHES; searches++) {
        const int64_t deepest = measure_levels(f, root);
        if (deepest <= known)
            break;
        known = deepest;
        root = -1;
        for (int64_t i = f->rows - 1; i >= 0; i--) {
            if (f->level[i] == deepest && (root < 0 || f->degree[i] < f->degree[root]))
                root = i;
        }
    }
    return root;
}

/* Returns the next neighbour of a row: the last of those with the smallest degree that are not done; -1 if
 * all are. */
static int64_t next_neighbour(const struct flags *f, int64_t row)
{
    int64_t found = -1;
    for (int64_t j = f->rows - 1; j >= 0; j--) {
        if (f->set[row * f->rows + j] && !f->is_done[j] && (found < 0 || f->degree[j] < f->degree[found]))
            found = j;
    }
    return found;
}

static void literal_permutation(struct flags *f, uint32_t *permutation)
{
    int64_t first = 0;
    for (int64_t i = 0; i < f->rows; i++) {
        if (f->is_done[i])
            continue;
        int64_t end = first;
        permutation[end] = (uint32_t)literal_rim(f, i);
        f->is_done[permutation[end++]] = 1;
        for (int64_t at = first; at < end; at++) {
            for (int64_t j = 0; (j = next_neighbour(f, permutation[at])) >= 0; end++) {
                permutation[end] = (uint32_t)j;
                f->is_done[j] = 1;
            }
        }
        for (int64_t low = first, high = end - 1; low < high; low++, high--) {
            const uint32_t row = permutation[low];
            permutation[low] = permutation[high];
            permutation[high] = row;
        }
        first = end;
    }
}

static const char *const specs[] = {
    "gen:fem3:3:3:3",  "gen:femshuf:3:4:3", "gen:femshuf:9:1:1",      "gen:lap27:4",
    "gen:qcd:2",       "gen:band:90:3",     "gen:band:60:59",         "gen:block:64:8:2",
    "gen:rand:300:3",  "gen:rand:200:1",    "gen:rmat:8:2",           "gen:rmat:7:9",
    "gen:dense:40:40", "gen:diag:77",       "gen:arrow:60",           "gen:empty:50:50",
    "gen:empty:0:0",   "gen:empty:1:1",     "gen:powerlaw:200:200:3", "gen:uniform:150:150:2",
    "gen:rand:400:1",  "gen:block:90:3:1",
};

static void is_what_is_written_out(void **state)
{
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(*state, &m, NULL), SPMM_OK);
    assert_int_equal(m->rows, m->cols);
    const size_t bytes = (size_t)m->rows * sizeof(uint32_t);
    uint32_t *permutation = malloc(bytes + 1), *expected = malloc(bytes + 1);
    char *seen = calloc((size_t)m->rows + 1, 1);
    assert_true(permutation != NULL && expected != NULL && seen != NULL);
    struct flags flags = symmetrise(m);
    literal_permutation(&flags, expected);
    assert_int_equal(spmmi_reorder_rcm(m->rows, m->cols, m->row_ptr, m->col_ind, permutation), SPMM_OK);
    for (int64_t i = 0; i < m->rows; i++) {
        assert_true(permutation[i] < m->rows);
        assert_int_equal(seen[permutation[i]]++, 0);
    }
    assert_memory_equal(permutation, expected, bytes);
    free_flags(&flags);
    free(seen);
    free(expected);
    free(permutation);
    spmm_matrix_destroy(m);
}

struct by_hand {
    const char *what;
    int64_t rows;
    int64_t row_ptr[8];
    int32_t col_ind[12];
    uint32_t permutation[7];
};

static const struct by_hand cases[] = {
    /* 3 - 0 - 4 - 1 - 2: the last level from row 0 is {2}, and from row 2 it is {3}, which is not deeper. */
    {"a path", 5, {0, 2, 4, 5, 6, 8}, {3, 4, 2, 4, 1, 0, 0, 1}, {2, 1, 4, 0, 3}},
    /* The same path, with each edge stored once, on either side of the diagonal. */
    {"a path stored by halves", 5, {0, 1, 2, 3, 4, 4}, {4, 4, 1, 0}, {2, 1, 4, 0, 3}},
    /* 0 - 3 and 2 - 5 are edges; 1, 4 and 6 are alone, one of them with a diagonal entry. */
    {"parts and rows alone", 7, {0, 1, 2, 2, 2, 2, 3, 3}, {3, 1, 2}, {0, 3, 1, 2, 5, 4, 6}},
    /* Row 2 is a neighbour of all others. The rim is row 5; then come 2, then 1 and 4 of degree 1, then 0 and
     * 3 of degree 2. */
    {"a star with a chord", 6, {0, 1, 1, 5, 5, 5, 6}, {3, 0, 1, 3, 4, 2}, {0, 3, 1, 4, 2, 5}},
};

static void small_cases_worked_out_by_hand(void **state)
{
    uint32_t permutation[7];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct by_hand *c = &cases[i];
        assert_int_equal(spmmi_reorder_rcm(c->rows, c->rows, c->row_ptr, c->col_ind, permutation), SPMM_OK);
        if (memcmp(permutation, c->permutation, (size_t)c->rows * sizeof *permutation) != 0)
            fail_msg("%s: another order", c->what);
    }
}

static int64_t bandwidth(const spmm_matrix_t *m, const uint32_t *permutation)
{
    int64_t widest = 0, *position = malloc((size_t)m->rows * sizeof *position);
    assert_non_null(position);
    for (int64_t i = 0; i < m->rows; i++)
        position[permutation == NULL ? i : permutation[i]] = i;
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t p = m->row_ptr[i]; p < m->row_ptr[i + 1]; p++) {
            const int64_t off = llabs(position[i] - position[m->col_ind[p]]);
            widest = off > widest ? off : widest;
        }
    }
    free(position);
    return widest;
}

/* Returns the bandwidth after reordering. *natural becomes the bandwidth in the matrix's own order. */
static int64_t reordered_bandwidth(const char *spec, int64_t *natural)
{
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(spec, &m, NULL), SPMM_OK);
    uint32_t *permutation = malloc((size_t)m->rows * sizeof *permutation);
    assert_non_null(permutation);
    assert_int_equal(spmmi_reorder_rcm(m->rows, m->cols, m->row_ptr, m->col_ind, permutation), SPMM_OK);
    const int64_t found = bandwidth(m, permutation);
    *natural = bandwidth(m, NULL);
    free(permutation);
    spmm_matrix_destroy(m);
    return found;
}

/* The levels of a cube of 27-point elements, starting from a corner, are shells of three faces. So the
 * bandwidth may be three times that of the mesh numbered line by line. */
static void a_shuffled_mesh_gets_a_narrow_band_back(void **state)
{
    static const char *const meshes[][2] = {
        {"gen:femshuf:3:3:200", "gen:fem3:3:3:200"},
        {"gen:femshuf:9:9:9", "gen:fem3:9:9:9"},
        {"gen:femshuf:20:20:20", "gen:fem3:20:20:20"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        int64_t shuffled = 0, mesh = 0;
        const int64_t found = reordered_bandwidth(meshes[i][0], &shuffled);
        reordered_bandwidth(meshes[i][1], &mesh);
        print_message("%s: bandwidth %lld, reordered %lld; unshuffled %lld\n", meshes[i][0],
                      (long long)shuffled, (long long)found, (long long)mesh);
        assert_true(found <= 3 * mesh);
        assert_true(shuffled >= 3 * found);
    }
}

static void what_is_in_order_stays_so(void **state)
{
    static const char *const ordered[] = {"gen:diag:50",   "gen:empty:30:30", "gen:band:90:1",
                                          "gen:band:90:4", "gen:dense:40:40", "gen:band:2000:16"};
    (void)state;
    for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; i++) {
        spmm_matrix_t *m = NULL;
        uint32_t permutation[2000];
        assert_int_equal(spmm_matrix_generate(ordered[i], &m, NULL), SPMM_OK);
        assert_int_equal(spmmi_reorder_rcm(m->rows, m->cols, m->row_ptr, m->col_ind, permutation), SPMM_OK);
        for (int64_t k = 0; k < m->rows; k++) {
            if (permutation[k] != k)
                fail_msg("%s: row %u at place %lld", ordered[i], permutation[k], (long long)k);
        }
        spmm_matrix_destroy(m);
    }
}

/* Rows of diagonal blocks are scattered. They must become neighbours, and blocks follow by their smallest
 * row. */
static void scattered_blocks_come_together(void **state)
{
    enum { ROWS = 60, SIDE = 5, BLOCKS = ROWS / SIDE };
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[ROWS * SIDE];
    uint32_t permutation[ROWS];
    (void)state;
    for (int32_t i = 0, p = 0; i < ROWS; i++) {
        row_ptr[i] = p;
        for (int32_t k = 0; k < SIDE; k++)
            col_ind[p++] = k * BLOCKS + i % BLOCKS;
        row_ptr[i + 1] = p;
    }
    assert_int_equal(spmmi_reorder_rcm(ROWS, ROWS, row_ptr, col_ind, permutation), SPMM_OK);
    for (uint32_t i = 0; i < ROWS; i++)
        assert_int_equal(permutation[i], i % SIDE * BLOCKS + i / SIDE);
}

static void only_square_matrices(void **state)
{
    static const int64_t row_ptr[] = {0, 1, 2};
    static const int32_t col_ind[] = {2, 0};
    uint32_t permutation[2] = {7, 7};
    (void)state;
    assert_int_equal(spmmi_reorder_rcm(2, 3, row_ptr, col_ind, permutation), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_reorder_rcm(2, 1, row_ptr, col_ind, permutation), SPMM_ERR_ARGUMENT);
    assert_true(permutation[0] == 7 && permutation[1] == 7);
}

static void survives_short_memory(void **state)
{
    const struct by_hand *c = &cases[1];
    uint32_t permutation[5] = {7, 7, 7, 7, 7};
    (void)state;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; k < 5; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmmi_reorder_rcm(c->rows, c->rows, c->row_ptr, c->col_ind, permutation),
                         SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
        assert_int_equal(permutation[0], 7);
    }
    spmmi_alloc_fail_at(5, 0);
    assert_int_equal(spmmi_reorder_rcm(c->rows, c->rows, c->row_ptr, c->col_ind, permutation), SPMM_OK);
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(spmmi_alloc_live(), live);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(small_cases_worked_out_by_hand),
        cmocka_unit_test(a_shuffled_mesh_gets_a_narrow_band_back),
        cmocka_unit_test(what_is_in_order_stays_so),
        cmocka_unit_test(scattered_blocks_come_together),
        cmocka_unit_test(only_square_matrices),
        cmocka_unit_test(survives_short_memory),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] =
            (struct CMUnitTest){specs[i], is_what_is_written_out, NULL, NULL, (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("reorder_rcm", tests, NULL, NULL);
}
