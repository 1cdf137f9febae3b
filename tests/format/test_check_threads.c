/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics and the result of a plan check do not depend on the number of threads, wherever a plan of many
 * pieces is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/each.h"
#include "format/check/digests_check.h"
#include "format/check/plan_check.h"
#include "format/matrix/stats.h"
#include "tests/support/plan_seal.h"

#define ROWS INT64_C(270000) /* with 1,080,000 nonzeros: several pieces of both */
#define ROW_MAX 9
#define PAGES 16384 /* allocations may be rounded up by this many bytes in all */

/* Makes a matrix. Row i has i % 9 nonzeros, `step` columns apart; some values are zero. */
static struct test_matrix *matrix_of(int64_t cols, int64_t step)
{
    struct test_matrix *a = calloc(1, sizeof *a);
    assert_non_null(a);
    *a = (struct test_matrix){.name = "many pieces", .rows = ROWS, .cols = cols};
    a->row_ptr = calloc((size_t)ROWS + 1, sizeof *a->row_ptr);
    a->col_ind = calloc((size_t)ROWS * ROW_MAX, sizeof *a->col_ind);
    a->values = calloc((size_t)ROWS * ROW_MAX, sizeof *a->values);
    assert_true(a->row_ptr != NULL && a->col_ind != NULL && a->values != NULL);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t first = (int64_t)(test_hash((uint64_t)i, 1) % (uint64_t)(cols - ROW_MAX * step));
        for (int64_t k = 0; k < i % ROW_MAX; k++, a->nnz++) {
            a->col_ind[a->nnz] = (int32_t)(first + k * step);
            a->values[a->nnz] = a->nnz % 7 == 0 ? 0 : test_real((uint64_t)a->nnz, 2);
        }
        a->row_ptr[i + 1] = a->nnz;
    }
    return a;
}

static void statistics_are_the_same(void **state)
{
    static const struct {
        int64_t cols, step;
    } cases[] = {{ROW_MAX + 1, 1}, {255, 20}, {256, 20}, {257, 20}, {70001, 3}, {ROWS, 1}, {3000000, 100000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_matrix *a = matrix_of(cases[i].cols, cases[i].step);
        spmm_matrix_stats_t one, several;
        assert_int_equal(
            spmmi_stats_compute(a->rows, a->cols, a->row_ptr, a->col_ind, a->values, SPMM_F64, &one),
            SPMM_OK);
        for (int threads = 2; threads <= 5; threads++) {
            memset(&several, 0x5a, sizeof several);
            spmmi_alloc_peak_reset();
            assert_int_equal(spmmi_stats_compute_on(threads, a->rows, a->cols, a->row_ptr, a->col_ind,
                                                    a->values, SPMM_F64, &several),
                             SPMM_OK);
            assert_memory_equal(&one, &several, sizeof one);
            assert_true(spmmi_alloc_peak_bytes() <=
                        spmmi_stats_bytes((uint64_t)a->cols, (uint64_t)a->nnz, threads) + PAGES);
        }
        const int has_bytes = spmmi_stats_bytes((uint64_t)a->cols, (uint64_t)a->nnz, 3) >
                              spmmi_stats_bytes((uint64_t)a->cols, (uint64_t)a->nnz, 1);
        assert_int_equal(has_bytes, a->cols < 2 * a->nnz); /* for more columns one thread is enough */
        spmmi_alloc_fail_at(1, 0); /* no memory for other threads: one thread counts */
        assert_int_equal(spmmi_stats_compute_on(3, a->rows, a->cols, a->row_ptr, a->col_ind, a->values,
                                                SPMM_F64, &several),
                         SPMM_OK);
        spmmi_alloc_fail_at(-1, 0);
        assert_memory_equal(&one, &several, sizeof one);
        test_matrix_free(a);
    }
}

static int is_wrong(const void *calls, uint64_t index, int thread)
{
    (void)index, (void)thread;
    (void)atomic_fetch_add((atomic_int *)(uintptr_t)calls, 1);
    return 1;
}

/* Each piece may be a read that takes long to fail. */
static void pieces_behind_a_wrong_one_are_left_out(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        atomic_int calls = 0;
        assert_int_equal(spmmi_first_wrong(1000, threads, is_wrong, &calls), 0);
        assert_in_range(calls, 1, 4 * threads);
    }
}

/* Starting a thread takes longer than the digests of a small plan. */
static void small_plans_have_no_digest_threads(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 8, 0, 0}, "source");
    struct spmmi_digests digests;
    spmmi_digests_begin(&digests, 2, plan, 1);
    assert_false(digests.pattern.is_started || digests.values.is_started);
    assert_int_equal(spmmi_digests_end(&digests, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Changes one entry. position is 0 for the first to 8 for the last entry. */
typedef void (*change)(spmm_plan_t *p, int64_t position);

static int64_t at(int64_t count, int64_t position)
{
    return (count - 1) * position / 8;
}

static void change_row_ptr(spmm_plan_t *p, int64_t position)
{
    const int64_t row = at(p->rows, position);
    p->row_ptr[row + 1] = p->row_ptr[row] - 1;
}

static void change_column(spmm_plan_t *p, int64_t position)
{
    p->col_ind[at(p->nnz, position)] = (int32_t)p->cols;
}

/* Makes a column equal to the preceding one, in most cases of the same row. */
static void change_order(spmm_plan_t *p, int64_t position)
{
    int64_t q = at(p->nnz - 1, position) + 1, row = 0;
    while (p->row_ptr[row + 1] <= q)
        row++;
    q += p->row_ptr[row] == q;
    p->col_ind[q] = p->col_ind[q - 1];
}

static void change_value(spmm_plan_t *p, int64_t position)
{
    ((float *)p->values)[at(p->nnz, position)] += 1;
}

static void change_digest(spmm_plan_t *p, int64_t position)
{
    p->pattern_digest[position] ^= 1;
}

static void change_stats(spmm_plan_t *p, int64_t position)
{
    int64_t *const fields[] = {&p->stats.row_min,    &p->stats.row_max, &p->stats.rows_empty,
                               &p->stats.cols_empty, &p->stats.col_max, &p->stats.diagonal,
                               &p->stats.band_lower, &p->stats.zeros,   &p->stats.row_histogram[2]};
    ++*fields[position];
}

static void change_item(spmm_plan_t *p, int64_t position)
{
    p->parts[0].items[at((int64_t)p->parts[0].item_count, position)] += 3;
}

static const change changes[] = {change_row_ptr, change_column, change_order, change_value,
                                 change_digest,  change_stats,  change_item};

static void what_is_wrong_is_told_alike(void **state)
{
    static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT};
    (void)state;
    struct test_matrix *a = matrix_of(ROWS, 1);
    for (int s = 0; s < 2; s++) {
        const struct test_plan_options options = {SPMM_F32, schedules[s], 8, 0, 0};
        spmm_plan_t *plan = test_plan_whole(a, options, "many pieces");
        assert_int_equal(spmmi_plan_check_on(4, plan, NULL), SPMM_OK);
        spmm_plan_destroy(plan);
        for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++)
            for (int64_t position = 0; position <= 8; position += c == 5 ? 1 : 4) {
                spmm_diag_t one = {.status = SPMM_OK}, several = {.status = SPMM_OK};
                plan = test_plan_whole(a, options, "many pieces");
                changes[c](plan, position);
                const spmm_status_t status = spmmi_plan_check(plan, &one);
                assert_int_not_equal(status, SPMM_OK);
                assert_int_equal(spmmi_plan_check_on(4, plan, &several), status);
                assert_string_equal(one.text, several.text);
                assert_int_equal(one.offset, several.offset);
                spmm_plan_destroy(plan);
            }
    }
    test_matrix_free(a);
}

/* With few processors all threads work. With more, some threads are left out so that the digests get
 * processors. */
static void digests_have_processors_where_there_are_many(void **state)
{
    static const struct {
        int pattern, values, threads, processors, wanted;
    } cases[] = {
        {1, 1, 2, 2, 2},  {1, 1, 3, 3, 3},    {1, 1, 4, 4, 4}, {1, 1, 5, 5, 5},    {1, 1, 6, 6, 4},
        {1, 1, 8, 8, 6},  {1, 1, 16, 16, 14}, {1, 0, 2, 2, 2}, {1, 0, 3, 3, 2},    {1, 0, 16, 16, 15},
        {1, 1, 4, 16, 4}, {1, 1, 15, 16, 14}, {1, 1, 8, 2, 8}, {0, 0, 16, 16, 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct spmmi_digests digests = {{.is_started = cases[i].pattern},
                                              {.is_started = cases[i].values}};
        assert_int_equal(spmmi_digests_threads_beside(&digests, cases[i].threads, cases[i].processors),
                         cases[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_the_same), cmocka_unit_test(pieces_behind_a_wrong_one_are_left_out),
        cmocka_unit_test(small_plans_have_no_digest_threads), cmocka_unit_test(what_is_wrong_is_told_alike),
        cmocka_unit_test(digests_have_processors_where_there_are_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
