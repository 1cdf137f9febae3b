/* SPDX-License-Identifier: Apache-2.0 */
/* The one shot on the CPU, unit by unit: it depends neither on earlier state of the thread nor on other
 * units, and writes only the unit's own rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/spgemm/spgemm_scratch.h"
#include "tests/support/sparse_scene.h"

TEST_PATTERN(some_columns, test_chance(i, j, 5))
TEST_PATTERN(another, j == i * 7 % 50)
TEST_PATTERN(unknowns, (i / 3 - j / 3) % 7 == 0)           /* groups of three equal rows */
TEST_PATTERN(stencil, i == j || i + 1 == j || i + 19 == j) /* each row is moved by one column */

/* Two factors, and the columns and values of C, in which all bits are set before a run. */
struct once_scene {
    struct test_sparse_scene of;
    struct spmmi_spgemm_stage stage;
    struct spmmi_spgemm_repeats repeats;
    int64_t nnz;
    int32_t *columns;
    double *values, *sums;
};

static struct once_scene scene_open(const struct test_pattern *left, const struct test_pattern *right,
                                    int is_grouped)
{
    struct once_scene s;
    s.of = test_sparse_scene_of(left, right, 0, &s.stage);
    assert_int_equal(spmmi_spgemm_repeats_make(&s.stage.task, 1, &s.repeats, NULL), SPMM_OK);
    s.stage.follows = s.repeats.right;
    s.stage.sums = right->cols * (is_grouped ? SPMMI_SPGEMM_LANES : 1);
    s.nnz = s.of.c_row_ptr[left->rows];
    s.columns = test_sparse_room(s.nnz, sizeof *s.columns);
    s.values = test_sparse_room(s.nnz, sizeof *s.values);
    s.sums = test_sparse_room(s.stage.sums, sizeof *s.sums);
    memset(s.columns, 0xff, (size_t)s.nnz * sizeof *s.columns);
    memset(s.values, 0xff, (size_t)s.nnz * sizeof *s.values);
    return s;
}

static void scene_close(struct once_scene *s)
{
    free(s->sums);
    free(s->values);
    free(s->columns);
    spmmi_spgemm_repeats_free(&s->repeats);
    test_sparse_scene_free(&s->of);
}

/* Computes rows [first, end) with one thread. The numbers of its marks begin at base. */
static void run_rows(struct once_scene *s, int64_t first, int64_t end, uint32_t base)
{
    struct spmmi_spgemm_unit unit = {.row = first, .row_end = end, .partial = -1};
    const struct spmmi_spgemm_once once = {
        .repeats = &s->repeats,
        .scratch = spmmi_spgemm_scratch_new(s->of.b->cols, 1,
                                            spmmi_spgemm_longest_row(s->stage.c.rows, s->stage.c.row_ptr)),
        .col_ind = s->columns,
        .is_grouped = s->stage.sums > s->of.b->cols,
    };
    const struct spmmi_spgemm_values values = {
        .left = s->of.a->values, .right = s->of.b->values, .alpha = 1, .c = s->values, .sums = s->sums};
    assert_non_null(once.scratch);
    once.scratch->base = base;
    s->stage.units = &unit;
    s->stage.unit_count = 1;
    spmmi_spgemm_run_once(&s->stage, SPMM_F64, &values, &once, 1);
    spmmi_spgemm_scratch_free(once.scratch, 1);
}

/* The marks are cleared before their numbers overflow. */
static void numbers_of_marks_begin_again(void **state)
{
    (void)state;
    static const struct test_pattern left = {"some columns", 60, 80, some_columns},
                                     right = {"some columns", 80, 100, some_columns};
    struct once_scene expected = scene_open(&left, &right, 0);
    assert_true(expected.nnz > 3 * right.cols);
    run_rows(&expected, 0, left.rows, 1);
    for (uint32_t more = 0; more < 4; more++) {
        struct once_scene s = scene_open(&left, &right, 0);
        run_rows(&s, 0, left.rows, UINT32_MAX - (uint32_t)right.cols - more);
        assert_memory_equal(s.columns, s.of.c_col_ind, (size_t)s.nnz * sizeof *s.columns);
        assert_memory_equal(s.values, expected.values, (size_t)s.nnz * sizeof *s.values);
        scene_close(&s);
    }
    scene_close(&expected);
}

/* Units run from the last to the first: none needs rows of the preceding unit or writes after its own
 * rows. */
static void units_keep_to_their_rows(void **state)
{
    (void)state;
    enum { ROWS = 60, EACH = 5 };
    static const struct {
        struct test_pattern left, right;
        int is_grouped;
    } pairs[] = {
        {{"unknowns", ROWS, 60, unknowns}, {"unknowns", 60, 60, unknowns}, 0},
        {{"unknowns", ROWS, 60, unknowns}, {"unknowns", 60, 60, unknowns}, 1},
        {{"stencil", ROWS, 80, stencil}, {"stencil", 80, 100, stencil}, 0},
        {{"another", ROWS, 50, another}, {"some columns", 50, 40, some_columns}, 0}, /* few entries per row */
    };
    for (size_t t = 0; t < sizeof pairs / sizeof pairs[0]; t++) {
        struct once_scene whole = scene_open(&pairs[t].left, &pairs[t].right, pairs[t].is_grouped),
                          s = scene_open(&pairs[t].left, &pairs[t].right, pairs[t].is_grouped);
        run_rows(&whole, 0, ROWS, 1);
        assert_memory_equal(whole.columns, whole.of.c_col_ind, (size_t)whole.nnz * sizeof *whole.columns);
        for (int64_t first = ROWS - EACH; first >= 0; first -= EACH) {
            const int64_t at = s.of.c_row_ptr[first], count = s.nnz - at;
            run_rows(&s, first, first + EACH, 1);
            assert_memory_equal(s.columns + at, whole.columns + at, (size_t)count * sizeof *s.columns);
            assert_memory_equal(s.values + at, whole.values + at, (size_t)count * sizeof *s.values);
            for (int64_t q = at; q < s.nnz; q++)
                s.columns[q] = whole.columns[q] = -1; /* a later unit must not write it again */
        }
        scene_close(&whole);
        scene_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_marks_begin_again),
        cmocka_unit_test(units_keep_to_their_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
