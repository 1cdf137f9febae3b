/* SPDX-License-Identifier: Apache-2.0 */
/* Checks row permutations: their metrics against literal definitions, what the cache keeps, and what is
 * refused. */
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
#include "inspector/reorder/permutation_units.h"
#include "inspector/reorder/reorder_jaccard.h"
#include "inspector/reorder/row_metrics.h"
#include "inspector/reorder/row_permutation.h"
#include "tests/support/generated.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Returns the permutation at this index of the list without auto. */
static spmm_reorder_t kind_of(size_t index)
{
    return spmmi_permutation_at((int)index + 1)->id;
}

static struct spmmi_row_permutations permutations_of(const spmm_matrix_t *m, int threads)
{
    return (struct spmmi_row_permutations){
        .rows = m->rows, .cols = m->cols, .row_ptr = m->row_ptr, .col_ind = m->col_ind, .threads = threads};
}

/* ---- Metrics ---- */

/* Returns the number of distinct groups of `width` aligned columns in rows [first, first + height) of the
 * permutation. */
static int64_t distinct(const spmm_matrix_t *m, const uint32_t *permutation, int64_t first, int64_t height,
                        int64_t width, char *seen)
{
    int64_t count = 0;
    memset(seen, 0, (size_t)m->cols);
    for (int64_t i = first; i < first + height && i < m->rows; i++) {
        const int64_t row = permutation == NULL ? i : permutation[i];
        for (int64_t p = m->row_ptr[row]; p < m->row_ptr[row + 1]; p++) {
            count += !seen[m->col_ind[p] / width];
            seen[m->col_ind[p] / width] = 1;
        }
    }
    return count;
}

static void blocks_are(const spmm_matrix_t *m, const uint32_t *permutation, int shape,
                       const spmm_permutation_metrics_t *found)
{
    static const struct {
        int64_t height, width, columns_a_block;
    } shapes[SPMM_BLOCK_SHAPES] = {{8, 1, 8}, {16, 8, 1}, {16, 16, 1}};
    const int64_t height = shapes[shape].height, divisor = shapes[shape].columns_a_block;
    char *seen = test_zeroed(m->cols, 1);
    int64_t blocks = 0, maximum = 0, groups = 0;
    double squares = 0;
    for (int64_t first = 0; first < m->rows; first += height, groups++) {
        const int64_t here =
            (distinct(m, permutation, first, height, shapes[shape].width, seen) + divisor - 1) / divisor;
        blocks += here;
        squares += (double)here * (double)here;
        maximum = here > maximum ? here : maximum;
    }
    const double mean = groups == 0 ? 0 : (double)blocks / (double)groups;
    const double variance = groups == 0 ? 0 : squares / (double)groups - mean * mean;
    const double stddev = found->block_stddev[shape];
    assert_int_equal(found->block_count[shape], blocks);
    assert_int_equal(found->block_max[shape], maximum);
    assert_true(fabs(found->block_mean[shape] - mean) <= 1e-12 * (1 + mean));
    assert_true(fabs(stddev * stddev - variance) <= 1e-9 * (1 + squares));
    free(seen);
}

static void metrics_are(const spmm_matrix_t *m, const uint32_t *permutation,
                        const spmm_permutation_metrics_t *found)
{
    char *seen = test_zeroed(m->cols, 1);
    for (int shape = 0; shape < SPMM_BLOCK_SHAPES; shape++)
        blocks_are(m, permutation, shape, found);
    for (int h = 0; h < SPMM_ROW_BLOCK_HEIGHTS; h++) {
        int64_t sum = 0;
        for (int64_t first = 0; first < m->rows; first += 8 << h)
            sum += distinct(m, permutation, first, 8 << h, 1, seen);
        assert_int_equal(found->working_set[h], sum);
        assert_true(found->reuse[h] == (sum == 0 ? 0 : (double)m->nnz / (double)sum));
    }
    free(seen);
}

static const char *const specs[] = {
    "gen:fem3:4:3:5",        "gen:femshuf:5:5:5",    "gen:lap27:8",           "gen:qcd:2",
    "gen:band:700:3",        "gen:band:5:100",       "gen:block:640:8:2",     "gen:rand:1000:3",
    "gen:rmat:10:4",         "gen:dense:70:9",       "gen:diag:77",           "gen:arrow:300",
    "gen:empty:50:6",        "gen:empty:0:0",        "gen:powerlaw:600:40:3", "gen:uniform:40:900:300",
    "gen:uniform:1:5000:40", "gen:uniform:1000:4:3",
};

static void metrics_are_what_the_definitions_say(void **state)
{
    spmm_matrix_t *m = test_generated(*state);
    uint32_t *permutation = test_zeroed(m->rows, sizeof *permutation);
    for (size_t i = 0; i < SPMMI_PERMUTATION_KINDS; i++) {
        spmm_permutation_metrics_t metrics = {.struct_size = sizeof metrics};
        if (spmmi_permutation_of(kind_of(i))->needs_square && m->rows != m->cols)
            continue;
        assert_int_equal(spmm_matrix_permutation(m, kind_of(i), 2, permutation, NULL), SPMM_OK);
        assert_int_equal(spmm_matrix_permutation_metrics(m, kind_of(i), 2, &metrics, NULL), SPMM_OK);
        metrics_are(m, permutation, &metrics);
        int64_t in_order = 0;
        while (in_order < m->rows && permutation[in_order] == in_order)
            in_order++;
        assert_int_equal(metrics.is_identity, in_order == m->rows);
        assert_true(metrics.seconds >= 0 && (kind_of(i) != SPMM_REORDER_NONE || metrics.seconds == 0));
    }
    free(permutation);
    spmm_matrix_destroy(m);
}

/* A caller compiled with an older library knows fewer metrics. */
static void metrics_are_as_many_as_the_caller_knows(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:band:60:3");
    spmm_permutation_metrics_t metrics;
    memset(&metrics, 0x55, sizeof metrics);
    metrics.struct_size = offsetof(spmm_permutation_metrics_t, working_set);
    assert_int_equal(spmm_matrix_permutation_metrics(m, SPMM_REORDER_NONE, 0, &metrics, NULL), SPMM_OK);
    assert_int_equal(metrics.struct_size, offsetof(spmm_permutation_metrics_t, working_set));
    assert_int_equal(metrics.block_max[SPMM_BLOCKS_8X8], 2);
    assert_int_equal(metrics.working_set[0], 0x5555555555555555);
    metrics.struct_size = 0;
    assert_int_equal(spmm_matrix_permutation_metrics(m, SPMM_REORDER_NONE, 0, &metrics, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation_metrics(m, SPMM_REORDER_NONE, 0, NULL, NULL), SPMM_ERR_ARGUMENT);
    metrics.struct_size = sizeof metrics;
    assert_int_equal(spmm_matrix_permutation_metrics(NULL, SPMM_REORDER_NONE, 0, &metrics, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation_metrics(m, SPMM_REORDER_AUTO, 0, &metrics, NULL),
                     SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_matrix_permutation_metrics(m, SPMM_REORDER_NONE, -1, &metrics, NULL),
                     SPMM_ERR_ARGUMENT);
    spmm_matrix_destroy(m);
}

/* The matrix is large enough that threads share the work. */
static void metrics_do_not_depend_on_threads(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:rmat:14:12");
    spmm_permutation_metrics_t first, other;
    int32_t *const permutation = spmmi_random_permutation(m->rows, 5);
    assert_non_null(permutation);
    assert_true(m->nnz > 150000);
    memset(&first, 0, sizeof first);
    memset(&other, 0, sizeof other);
    assert_int_equal(
        spmmi_row_metrics_count(m->rows, m->cols, m->row_ptr, m->col_ind, (uint32_t *)permutation, 1, &first),
        SPMM_OK);
    for (int threads = 2; threads <= 7; threads += 5) {
        assert_int_equal(spmmi_row_metrics_count(m->rows, m->cols, m->row_ptr, m->col_ind,
                                                 (uint32_t *)permutation, threads, &other),
                         SPMM_OK);
        assert_memory_equal(&first, &other, sizeof first);
    }
    metrics_are(m, (uint32_t *)permutation, &first);
    spmmi_free(permutation);
    spmm_matrix_destroy(m);
}

/* The columns are far apart: memory must depend only on the nonzeros, and groups are aligned to the column
 * numbers. */
static void few_nonzeros_of_many_columns(void **state)
{
    enum { ROWS = 40, EACH = 4, COLUMNS = 2147483646 };
    static const int32_t pattern[EACH] = {7, 8, 1000000007, COLUMNS - 1};
    int64_t row_ptr[ROWS + 1];
    int32_t col_ind[ROWS * EACH];
    spmm_permutation_metrics_t f;
    (void)state;
    for (int32_t i = 0; i <= ROWS; i++) {
        row_ptr[i] = i * EACH;
        for (int32_t k = 0; k < EACH && i < ROWS; k++)
            col_ind[i * EACH + k] = pattern[k] + (i >= 16 && k == 2 ? 1 : 0);
    }
    spmmi_alloc_peak_reset();
    const int64_t live = spmmi_alloc_live();
    assert_int_equal(spmmi_row_metrics_count(ROWS, COLUMNS, row_ptr, col_ind, NULL, 2, &f), SPMM_OK);
    assert_int_equal(spmmi_alloc_live(), live);
    assert_true(spmmi_alloc_peak_bytes() < 1 << 16);
    assert_int_equal(f.block_count[SPMM_BLOCKS_8X8], 5);   /* 4 columns per window */
    assert_int_equal(f.block_count[SPMM_BLOCKS_16X8], 12); /* columns 7 and 8 are in different groups */
    assert_int_equal(f.block_count[SPMM_BLOCKS_16X16], 9); /* and here in the same */
    assert_int_equal(f.working_set[0], 20);
    assert_int_equal(f.working_set[3], 5); /* 64 rows: both values of the third column */
}

/* ---- The cache ---- */

static void permutations_are_made_once(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:femshuf:4:4:4");
    struct spmmi_row_permutations permutations = permutations_of(m, 2);
    const struct spmmi_row_permutation *found[SPMMI_PERMUTATION_KINDS], *again = NULL;
    for (size_t i = 0; i < SPMMI_PERMUTATION_KINDS; i++) {
        assert_int_equal(spmmi_row_permutation_of(&permutations, kind_of(i), &found[i], NULL), SPMM_OK);
        assert_int_equal(found[i]->kind, kind_of(i));
        assert_true((found[i]->permutation == NULL) == (kind_of(i) == SPMM_REORDER_NONE));
    }
    const int64_t live = spmmi_alloc_live();
    for (size_t i = 0; i < SPMMI_PERMUTATION_KINDS; i++) {
        assert_int_equal(spmmi_row_permutation_of(&permutations, kind_of(i), &again, NULL), SPMM_OK);
        assert_ptr_equal(again, found[i]);
    }
    assert_int_equal(spmmi_alloc_live(), live);
    spmmi_row_permutations_free(&permutations);
    spmm_matrix_destroy(m);
}

static void permutations_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *spec;
        spmm_reorder_t kind;
        const char *sentence;
    } cases[] = {
        {"gen:uniform:40:30:2", SPMM_REORDER_RCM, "rcm needs a square matrix, found 40 x 30"},
        {"gen:diag:20001", SPMM_REORDER_JACCARD, "at most 20000 rows or segments, found 20001"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        spmm_matrix_t *m = test_generated(cases[i].spec);
        struct spmmi_row_permutations permutations = permutations_of(m, 1);
        const struct spmmi_row_permutation *o = NULL;
        spmm_diag_t diag = {0};
        const int64_t live = spmmi_alloc_live();
        assert_int_equal(spmmi_row_permutation_of(&permutations, cases[i].kind, &o, &diag),
                         SPMM_ERR_ARGUMENT);
        assert_non_null(strstr(diag.text, cases[i].sentence));
        assert_int_equal(spmmi_alloc_live(), live);
        spmmi_row_permutations_free(&permutations);
        spmm_matrix_destroy(m);
    }
}

static void survives_short_memory(void **state)
{
    (void)state;
    spmm_matrix_t *m = test_generated("gen:femshuf:4:4:4");
    const int64_t live = spmmi_alloc_live();
    for (size_t i = 0; i < SPMMI_PERMUTATION_KINDS; i++) {
        int64_t allocations = 0;
        for (int64_t k = -1; k < (allocations > 0 ? allocations : 1); k++) {
            spmm_permutation_metrics_t metrics = {.struct_size = sizeof metrics};
            spmmi_alloc_fail_at(k, 0);
            const spmm_status_t status = spmm_matrix_permutation_metrics(m, kind_of(i), 2, &metrics, NULL);
            allocations = k < 0 ? spmmi_alloc_count() : allocations;
            spmmi_alloc_fail_at(-1, 0);
            assert_int_equal(status, k < 0 ? SPMM_OK : SPMM_ERR_MEMORY);
            assert_int_equal(spmmi_alloc_live(), live);
        }
        assert_true(allocations >= 4);
    }
    spmm_matrix_destroy(m);
}

/* ---- Units ---- */

static void segments_are_ordered_too(void **state)
{
    enum { LENGTH = 9 };
    (void)state;
    spmm_matrix_t *m = test_generated("gen:rmat:8:9");
    const uint64_t units = spmmi_units_count(m->rows, m->row_ptr, LENGTH);
    int64_t *unit_ptr = test_zeroed((int64_t)units + 1, sizeof *unit_ptr);
    uint32_t *unit_row = test_zeroed((int64_t)units, sizeof *unit_row),
             *permutation = test_zeroed((int64_t)units, sizeof *permutation);
    uint32_t *rows = test_zeroed(m->rows, sizeof *rows);
    spmmi_units_cut(m->rows, m->row_ptr, LENGTH, unit_ptr, unit_row);
    const struct spmmi_permutation_input in = {m->rows, m->cols,  m->row_ptr, m->col_ind,
                                               units,   unit_ptr, unit_row,   2};
    const struct spmmi_permutation_input whole = {m->rows,           m->cols,    m->row_ptr, m->col_ind,
                                                  (uint64_t)m->rows, m->row_ptr, NULL,       2};
    for (size_t i = 1; i < SPMMI_PERMUTATION_KINDS; i++) {
        char *seen = test_zeroed((int64_t)units, 1);
        memset(permutation, 0xff, units * sizeof *permutation);
        assert_int_equal(spmmi_permutation_units(&in, kind_of(i), permutation, NULL), SPMM_OK);
        for (uint64_t u = 0; u < units; u++) {
            assert_true(permutation[u] < units);
            assert_int_equal(seen[permutation[u]]++, 0);
        }
        free(seen);
    }
    /* rcm permutes whole rows: the segments of a row stay together. */
    assert_int_equal(spmmi_permutation_units(&in, SPMM_REORDER_RCM, permutation, NULL), SPMM_OK);
    assert_int_equal(spmmi_permutation_units(&whole, SPMM_REORDER_RCM, rows, NULL), SPMM_OK);
    uint64_t at = 0;
    for (int64_t i = 0; i < m->rows; i++)
        for (uint64_t u = 0; u < units; u++)
            if (unit_row[u] == rows[i])
                assert_int_equal(permutation[at++], u);
    assert_int_equal(at, units);
    free(rows);
    free(permutation);
    free(unit_row);
    free(unit_ptr);
    spmm_matrix_destroy(m);
}

/* ---- The list ---- */

static void each_row_is_listed_and_made_or_a_word(void **state)
{
    const struct spmmi_permutation *row = NULL;
    spmm_reorder_info_t info = {.struct_size = sizeof info};
    int count = 0;
    (void)state;
    for (; (row = spmmi_permutation_at(count)) != NULL; count++) {
        const struct spmmi_reorder_ops *const ops = spmmi_reorder_of(row->id);
        assert_int_equal(spmm_reorder_at(count, &info), SPMM_OK);
        assert_int_equal(info.kind, count);
        assert_string_equal(info.name, spmm_reorder_name(row->id));
        assert_int_equal(info.is_made, ops != NULL);
        assert_true(ops == NULL || (ops->id == row->id && strcmp(ops->name, info.name) == 0));
        assert_true(info.units_max == 0 || ops->limits.instead[0] != '\0');
    }
    assert_int_equal(count, SPMMI_PERMUTATION_ROWS);
    assert_int_equal(spmm_reorder_at(count, &info), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_reorder_at(0, NULL), SPMM_ERR_ARGUMENT);
    assert_string_equal(spmm_reorder_name((spmm_reorder_t)count), "?");
    assert_int_equal(spmmi_permutation_of(SPMM_REORDER_JACCARD)->units_max, SPMMI_JACCARD_UNITS_MAX);
}

int main(void)
{
    static const struct CMUnitTest plain[] = {
        cmocka_unit_test(metrics_are_as_many_as_the_caller_knows),
        cmocka_unit_test(metrics_do_not_depend_on_threads),
        cmocka_unit_test(few_nonzeros_of_many_columns),
        cmocka_unit_test(permutations_are_made_once),
        cmocka_unit_test(permutations_that_do_not_fit_are_refused),
        cmocka_unit_test(survives_short_memory),
        cmocka_unit_test(segments_are_ordered_too),
        cmocka_unit_test(each_row_is_listed_and_made_or_a_word),
    };
    struct CMUnitTest tests[COUNT(specs) + COUNT(plain)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] = (struct CMUnitTest){specs[i], metrics_are_what_the_definitions_say, NULL, NULL,
                                             (void *)(uintptr_t)specs[i]};
    for (size_t i = 0; i < COUNT(plain); i++)
        tests[count++] = plain[i];
    return cmocka_run_group_tests_name("row_permutation", tests, NULL, NULL);
}
