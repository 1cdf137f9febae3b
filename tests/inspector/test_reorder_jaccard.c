/* SPDX-License-Identifier: Apache-2.0 */
/* Compares clustering by Jaccard distance with a literal implementation on flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/matrix/units.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "inspector/reorder/reorder_jaccard.h"

#define EIGHTHS 8 /* tests use distances in multiples of 1/8, so that comparisons are exact */

struct flags {
    int64_t count, blocks;
    char *set; /* count * blocks flags */
};

static struct flags compress(int64_t count, int64_t cols, const int64_t *unit_ptr, const int32_t *col_ind,
                             uint32_t delta)
{
    struct flags f = {count, cols / delta + 1, NULL};
    f.set = calloc((size_t)(f.count * f.blocks) + 1, 1);
    assert_non_null(f.set);
    for (int64_t u = 0; u < count; u++) {
        for (int64_t p = unit_ptr[u]; p < unit_ptr[u + 1]; p++)
            f.set[u * f.blocks + col_ind[p] / (int64_t)delta] = 1;
    }
    return f;
}

/* Returns 1 if the Jaccard distance of the patterns is less than eighths / 8. */
static int are_near(const struct flags *f, const char *a, const char *b, int64_t eighths)
{
    int64_t both = 0, either = 0;
    for (int64_t i = 0; i < f->blocks; i++) {
        both += a[i] && b[i];
        either += a[i] || b[i];
    }
    return either == 0 ? eighths > 0 : EIGHTHS * (either - both) < eighths * either;
}

static void literal_permutation(const struct flags *f, int64_t eighths, uint32_t *permutation)
{
    char *is_taken = calloc((size_t)f->count + 1, 1), *cluster = malloc((size_t)f->blocks);
    int64_t done = 0;
    assert_true(is_taken != NULL && cluster != NULL);
    for (int64_t v = 0; v < f->count; v++) {
        if (is_taken[v])
            continue;
        memcpy(cluster, f->set + v * f->blocks, (size_t)f->blocks);
        permutation[done++] = (uint32_t)v;
        for (int64_t w = v + 1; w < f->count; w++) {
            const char *const pattern = f->set + w * f->blocks;
            if (is_taken[w] || !are_near(f, pattern, cluster, eighths))
                continue;
            is_taken[w] = 1;
            permutation[done++] = (uint32_t)w;
            for (int64_t i = 0; i < f->blocks; i++)
                cluster[i] |= pattern[i];
        }
    }
    assert_int_equal(done, f->count);
    free(cluster);
    free(is_taken);
}

static void holds_each_unit_once(const uint32_t *permutation, int64_t count)
{
    char *seen = calloc((size_t)count + 1, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < count; i++) {
        assert_true(permutation[i] < count);
        assert_int_equal(seen[permutation[i]]++, 0);
    }
    free(seen);
}

static void compare(int64_t count, int64_t cols, const int64_t *unit_ptr, const int32_t *col_ind)
{
    static const uint32_t deltas[] = {1, 3, 8, 1000};
    static const int64_t eighths[] = {0, 1, 3, 4, 6, 8};
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    uint32_t *permutation = malloc(bytes + 1), *expected = malloc(bytes + 1);
    assert_true(permutation != NULL && expected != NULL);
    for (size_t d = 0; d < sizeof deltas / sizeof deltas[0]; d++) {
        const struct flags flags = compress(count, cols, unit_ptr, col_ind, deltas[d]);
        for (size_t t = 0; t < 2 * sizeof eighths / sizeof eighths[0]; t++) {
            const int64_t extents[] = {cols, 0x7ffffffe}; /* empty columns must not change the result */
            memset(permutation, 0xff, bytes);
            literal_permutation(&flags, eighths[t / 2], expected);
            assert_int_equal(spmmi_reorder_jaccard((uint64_t)count, extents[t % 2], unit_ptr, col_ind,
                                                   (double)eighths[t / 2] / EIGHTHS, deltas[d], permutation),
                             SPMM_OK);
            holds_each_unit_once(permutation, count);
            assert_memory_equal(permutation, expected, bytes);
        }
        free(flags.set);
    }
    free(expected);
    free(permutation);
}

static const char *const specs[] = {
    "gen:fem3:3:3:2",        "gen:femshuf:3:3:3",    "gen:lap27:4",           "gen:qcd:2",
    "gen:band:90:3",         "gen:block:64:8:2",     "gen:rand:250:3",        "gen:rmat:8:4",
    "gen:dense:70:9",        "gen:diag:77",          "gen:arrow:60",          "gen:empty:50:6",
    "gen:empty:0:0",         "gen:empty:9:0",        "gen:powerlaw:200:40:3", "gen:empty:1:1",
    "gen:powerlaw:300:12:2", "gen:uniform:90:200:5", "gen:rand:200:1",
};

static void is_what_is_written_out(void **state)
{
    static const uint32_t segments[] = {0, 3};
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(*state, &m, NULL), SPMM_OK);
    for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++) {
        const uint64_t count = spmmi_units_count(m->rows, m->row_ptr, segments[i]);
        int64_t *unit_ptr = calloc(count + 1, sizeof *unit_ptr);
        assert_non_null(unit_ptr);
        spmmi_units_cut(m->rows, m->row_ptr, segments[i], unit_ptr, NULL);
        compare((int64_t)count, m->cols, unit_ptr, m->col_ind);
        free(unit_ptr);
    }
    spmm_matrix_destroy(m);
}

/* unit 0: 0123   1: 0145   2: (none)   3: 012   4: 89   5: 01234   6: (none)   7: 89
 * From cluster {0}, unit 1 has distance 1 - 2/6, unit 3 1/4 and unit 5 1/5. At tau = 0.5 units 3 and 5 join.
 * At 0.7 unit 1 joins first, and the union is 012345: unit 3 has distance 1/2 from it, and unit 5 1/6.
 * In blocks of 2 columns, units 0 and 3 are 01, unit 1 is 02 and unit 5 is 012. */
static void a_small_case_worked_out_by_hand(void **state)
{
    static const int64_t unit_ptr[] = {0, 4, 8, 8, 11, 13, 18, 18, 20};
    static const int32_t col_ind[] = {0, 1, 2, 3, 0, 1, 4, 5, 0, 1, 2, 8, 9, 0, 1, 2, 3, 4, 8, 9};
    static const struct {
        double tau;
        uint32_t delta, permutation[8];
    } cases[] = {
        {0, 1, {0, 1, 2, 3, 4, 5, 6, 7}},   {0.15, 1, {0, 1, 2, 6, 3, 4, 7, 5}},
        {0.5, 1, {0, 3, 5, 1, 2, 6, 4, 7}}, {0.7, 1, {0, 1, 3, 5, 2, 6, 4, 7}},
        {0.3, 2, {0, 3, 1, 2, 6, 4, 7, 5}}, {1, 10, {0, 1, 3, 4, 5, 7, 2, 6}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t permutation[8];
        assert_int_equal(
            spmmi_reorder_jaccard(8, 10, unit_ptr, col_ind, cases[i].tau, cases[i].delta, permutation),
            SPMM_OK);
        assert_memory_equal(permutation, cases[i].permutation, sizeof permutation);
    }
}

static void what_is_in_order_stays_so(void **state)
{
    static const char *const ordered[] = {"gen:diag:50", "gen:empty:30:20", "gen:band:90:1", "gen:band:90:4",
                                          "gen:dense:40:9"};
    (void)state;
    for (size_t i = 0; i < sizeof ordered / sizeof ordered[0]; i++) {
        spmm_matrix_t *m = NULL;
        assert_int_equal(spmm_matrix_generate(ordered[i], &m, NULL), SPMM_OK);
        for (double tau = 0; tau <= 1; tau += 0.125) {
            uint32_t permutation[90];
            assert_int_equal(spmmi_reorder_jaccard((uint64_t)m->rows, m->cols, m->row_ptr, m->col_ind, tau, 1,
                                                   permutation),
                             SPMM_OK);
            for (int64_t k = 0; k < m->rows; k++) {
                if (permutation[k] != k)
                    fail_msg("%s: row %u at place %lld", ordered[i], permutation[k], (long long)k);
            }
        }
        spmm_matrix_destroy(m);
    }
}

/* Equal units are SETS apart, and different units share no column. */
static void scattered_equal_units_come_together(void **state)
{
    enum { UNITS = 96, SETS = 12, WIDTH = 7 };
    int64_t unit_ptr[UNITS + 1];
    int32_t col_ind[UNITS * WIDTH];
    uint32_t permutation[UNITS];
    (void)state;
    for (int32_t u = 0, p = 0; u <= UNITS; u++) {
        unit_ptr[u] = p;
        for (int32_t k = 0; u < UNITS && k < WIDTH; k++)
            col_ind[p++] = u % SETS * WIDTH + k;
    }
    assert_int_equal(spmmi_reorder_jaccard(UNITS, SETS * WIDTH, unit_ptr, col_ind, 0.01, 1, permutation),
                     SPMM_OK);
    for (uint32_t i = 0; i < UNITS; i++)
        assert_int_equal(permutation[i], i % (UNITS / SETS) * SETS + i / (UNITS / SETS));
}

static void refuses_what_it_cannot_do(void **state)
{
    static const int64_t unit_ptr[] = {0, 0};
    static const int32_t col_ind[] = {0};
    uint32_t permutation[1] = {7};
    (void)state;
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, -0.1, 1, permutation), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, 1.01, 1, permutation), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, NAN, 1, permutation), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, 0.5, 0, permutation), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmmi_reorder_jaccard(SPMMI_JACCARD_UNITS_MAX + UINT64_C(1), 1, unit_ptr, col_ind, 0.5,
                                           1, permutation),
                     SPMM_ERR_MATRIX_TOO_LARGE);
    assert_int_equal(permutation[0], 7);
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, 0.5, UINT32_MAX, permutation), SPMM_OK);
    assert_int_equal(permutation[0], 0);
}

static void takes_as_many_units_as_it_says(void **state)
{
    int64_t *unit_ptr = calloc(SPMMI_JACCARD_UNITS_MAX + 1, sizeof *unit_ptr);
    uint32_t *permutation = calloc(SPMMI_JACCARD_UNITS_MAX, sizeof *permutation);
    static const int32_t col_ind[] = {0};
    (void)state;
    assert_true(unit_ptr != NULL && permutation != NULL);
    unit_ptr[SPMMI_JACCARD_UNITS_MAX] = 1; /* the last unit has column 0 */
    assert_int_equal(spmmi_reorder_jaccard(SPMMI_JACCARD_UNITS_MAX, 1, unit_ptr, col_ind, 1, 1, permutation),
                     SPMM_OK);
    holds_each_unit_once(permutation, SPMMI_JACCARD_UNITS_MAX);
    assert_int_equal(permutation[SPMMI_JACCARD_UNITS_MAX - 1], SPMMI_JACCARD_UNITS_MAX - 1);
    free(permutation);
    free(unit_ptr);
}

static void survives_short_memory(void **state)
{
    static const int64_t unit_ptr[] = {0, 1};
    static const int32_t col_ind[] = {0};
    uint32_t permutation[1] = {7};
    (void)state;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; k < 8; k++) {
        spmmi_alloc_fail_at(k, 0);
        assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, 0.5, 1, permutation),
                         SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(), live);
        assert_int_equal(permutation[0], 7);
    }
    spmmi_alloc_fail_at(8, 0);
    assert_int_equal(spmmi_reorder_jaccard(1, 1, unit_ptr, col_ind, 0.5, 1, permutation), SPMM_OK);
    spmmi_alloc_fail_at(-1, 0);
    assert_int_equal(spmmi_alloc_live(), live);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(a_small_case_worked_out_by_hand),     cmocka_unit_test(what_is_in_order_stays_so),
        cmocka_unit_test(scattered_equal_units_come_together), cmocka_unit_test(refuses_what_it_cannot_do),
        cmocka_unit_test(takes_as_many_units_as_it_says),      cmocka_unit_test(survives_short_memory),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] =
            (struct CMUnitTest){specs[i], is_what_is_written_out, NULL, NULL, (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("reorder_jaccard", tests, NULL, NULL);
}
