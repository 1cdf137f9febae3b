/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sparse product: how many products and entries they have, whether a pattern is right, and which
 * rows may have long entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "format/spgemm/spgemm_pattern.h"
#include "tests/support/sparse_scene.h"

TEST_PATTERN(some_columns, test_chance(i, j, 5))
TEST_PATTERN(unknowns, (i / 3 - j / 3) % 7 == 0)           /* groups of three equal rows */
TEST_PATTERN(stencil, i == j || i + 1 == j || i + 19 == j) /* each row is moved by one column */
TEST_PATTERN(identity, i == j)
TEST_PATTERN(fourths, i % 4 == j % 4)
TEST_PATTERN(tails, j == i + 5 || (i % 2 == 0 && j == i)) /* ends like the preceding row, moved by one */
TEST_PATTERN(strewn, (37 * i + 11 * j) % 50 == 0)
TEST_PATTERN(scattered, (100 * i + j) % 600 == 0)
TEST_PATTERN(blocks, i / 20 == j / 20) /* rows multiply equal neighbouring rows */

static const struct {
    struct test_pattern left, right;
    int is_lower;
} pairs[] = {
    {{"some columns", 40, 60, some_columns}, {"some columns", 60, 50, some_columns}, 0},
    {{"unknowns", 42, 42, unknowns}, {"unknowns", 42, 42, unknowns}, 0},
    {{"stencil", 40, 60, stencil}, {"stencil", 60, 80, stencil}, 0},
    {{"stencil", 50, 50, stencil}, {"stencil", 50, 50, stencil}, 0},
    {{"stencil", 40, 60, stencil}, {"some columns", 60, 50, some_columns}, 0},
    {{"identity", 42, 42, identity}, {"unknowns", 42, 42, unknowns}, 0},
    {{"fourths", 40, 42, fourths}, {"unknowns", 42, 42, unknowns}, 0},
    {{"tails", 40, 60, tails}, {"tails", 60, 70, tails}, 0},
    {{"blocks", 40, 60, blocks}, {"blocks", 60, 50, blocks}, 0},
    {{"some columns", 40, 40, some_columns}, {"some columns", 40, 40, some_columns}, 1},
    {{"unknowns", 42, 42, unknowns}, {"unknowns", 42, 42, unknowns}, 1},
    /* Rows of C with more than 160 entries, in few columns and in many. */
    {{"fourths", 6, 80, fourths}, {"strewn", 80, 900, strewn}, 0},
    {{"identity", 6, 6, identity}, {"scattered", 6, 120000, scattered}, 0},
};
#define PAIRS (sizeof pairs / sizeof pairs[0])
#define SMALL (PAIRS - 2)

/* Returns the products of row i. Sets has[j] to 1 for each column j with an entry. */
static int64_t multiply_row(const struct spmmi_spgemm_task *t, int64_t i, uint8_t *has)
{
    int64_t products = 0;
    memset(has, 0, (size_t)t->right.cols);
    for (int64_t p = t->left.row_ptr[i]; p < t->left.row_ptr[i + 1]; p++) {
        const int64_t k = t->left.col_ind[p];
        for (int64_t q = t->right.row_ptr[k]; q < t->right.row_ptr[k + 1]; q++)
            if (!t->is_lower || t->right.col_ind[q] <= i) {
                has[t->right.col_ind[q]] = 1;
                products++;
            }
    }
    return products;
}

static void rows_are_counted_and_listed(void **state)
{
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        struct spmmi_spgemm_stage s;
        struct test_sparse_scene scene =
            test_sparse_scene_of(&pairs[i].left, &pairs[i].right, pairs[i].is_lower, &s);
        struct spmmi_spgemm_repeats repeats;
        int64_t *const row_ptr = test_sparse_room(s.c.rows, sizeof *row_ptr);
        int64_t *const products = test_sparse_room(s.c.rows, sizeof *products);
        uint8_t *const has = test_sparse_room(s.c.cols, 1);
        assert_int_equal(spmmi_spgemm_repeats_make(&s.task, 2, &repeats, NULL), SPMM_OK);
        assert_int_equal(spmmi_spgemm_row_ptr(&s.task, &repeats, 2, row_ptr, products, NULL), SPMM_OK);
        for (int64_t row = 0, q = 0; row < s.c.rows; row++) {
            assert_int_equal(products[row], multiply_row(&s.task, row, has));
            for (int64_t j = 0; j < s.c.cols; j++)
                if (has[j])
                    assert_int_equal(s.c.col_ind[q++], j);
            assert_int_equal(row_ptr[row + 1], q);
        }
        spmmi_spgemm_repeats_free(&repeats);
        free(has);
        free(products);
        free(row_ptr);
        test_sparse_scene_free(&scene);
    }
}

/* Returns 1 if row i has the columns of the preceding row, 2 if each of its columns is larger by one,
 * otherwise 0. */
static int follows(const struct spmmi_csr_pattern *a, int64_t i)
{
    const int64_t begin = a->row_ptr[i], count = a->row_ptr[i + 1] - begin;
    int is_equal = i > 0 && begin - a->row_ptr[i - 1] == count, is_moved = is_equal;
    for (int64_t q = begin; is_equal + is_moved > 0 && q < begin + count; q++) {
        is_equal &= a->col_ind[q] == a->col_ind[q - count];
        is_moved &= a->col_ind[q] == a->col_ind[q - count] + 1;
    }
    return is_equal ? 1 : is_moved ? 2 : 0;
}

/* A row of C repeats the preceding one if the row of the left factor does, except in a lower triangle. It is
 * moved if the row of the left factor and all rows of the right factor that it multiplies are moved. */
static void rows_that_follow_are_found(void **state)
{
    int found[3] = {0, 0, 0};
    (void)state;
    for (size_t i = 0; i < PAIRS; i++) {
        struct spmmi_spgemm_stage s;
        struct test_sparse_scene scene =
            test_sparse_scene_of(&pairs[i].left, &pairs[i].right, pairs[i].is_lower, &s);
        const struct spmmi_csr_pattern *const left = &s.task.left, *const right = &s.task.right;
        struct spmmi_spgemm_repeats repeats;
        assert_int_equal(spmmi_spgemm_repeats_make(&s.task, 1, &repeats, NULL), SPMM_OK);
        for (int64_t k = 0; k < right->rows; k++)
            assert_int_equal(repeats.right[k], follows(right, k));
        for (int64_t row = 0; row < left->rows; row++) {
            int expected = follows(left, row) == 1 && pairs[i].is_lower ? 0 : follows(left, row);
            for (int64_t p = left->row_ptr[row]; expected == 2 && p < left->row_ptr[row + 1]; p++)
                expected = follows(right, left->col_ind[p]) == 2 ? 2 : 0;
            assert_int_equal(repeats.rows[row], expected);
            found[expected]++;
        }
        spmmi_spgemm_repeats_free(&repeats);
        assert_null(repeats.rows);
        assert_null(repeats.right);
        test_sparse_scene_free(&scene);
    }
    assert_true(found[0] > 20 && found[1] > 20 && found[2] > 20);
}

static int64_t wrong_row(const struct spmmi_spgemm_stage *s)
{
    int64_t wrong = 0;
    assert_int_equal(spmmi_spgemm_verify(&s->task, &s->c, 1, &wrong, NULL), SPMM_OK);
    return wrong;
}

/* Inserts (by = 1) or removes (by = -1) a place at entry q. Row `row` then has an entry more or less. */
static void shift(struct test_sparse_scene *scene, int64_t rows, int64_t row, int64_t q, int by)
{
    int32_t *const from = scene->c_col_ind + q;
    memmove(from + (by > 0), from + (by < 0), (size_t)(scene->c_row_ptr[rows] - q - (by < 0)) * sizeof *from);
    for (int64_t i = row; i < rows; i++)
        scene->c_row_ptr[i + 1] += by;
}

/* Checks that row `row` is found to be wrong if entry q is missing, has another column, or has a neighbour
 * too many. */
static void check_entry(struct spmmi_spgemm_stage *s, struct test_sparse_scene *scene, int64_t row, int64_t q)
{
    const int64_t first = scene->c_row_ptr[row], end = scene->c_row_ptr[row + 1];
    int32_t *const columns = scene->c_col_ind;
    const int32_t was = columns[q];
    for (int32_t j = -1; j < s->c.cols; j++) { /* -1: a column that the operand does not have */
        int is_there = 0;
        for (int64_t other = first; other < end; other++)
            is_there |= columns[other] == j;
        if (is_there || (j + q) % 5 > 0)
            continue;
        columns[q] = j;
        assert_int_equal(wrong_row(s), row);
        columns[q] = was;
        shift(scene, s->c.rows, row, q, 1);
        columns[q] = j;
        assert_int_equal(wrong_row(s), row);
        shift(scene, s->c.rows, row, q, -1);
    }
    shift(scene, s->c.rows, row, q, -1);
    assert_int_equal(wrong_row(s), row);
    shift(scene, s->c.rows, row, q, 1);
    columns[q] = was;
}

static void entries_that_are_missing_wrong_or_too_many_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < SMALL; i++) {
        struct spmmi_spgemm_stage s;
        struct test_sparse_scene scene =
            test_sparse_scene_of(&pairs[i].left, &pairs[i].right, pairs[i].is_lower, &s);
        assert_int_equal(wrong_row(&s), -1);
        for (int64_t row = 0; row < s.c.rows; row++)
            for (int64_t q = scene.c_row_ptr[row]; q < scene.c_row_ptr[row + 1]; q += 7)
                check_entry(&s, &scene, row, q);
        assert_int_equal(wrong_row(&s), -1);
        for (int64_t row = s.c.rows - 1; row >= 0; row--) /* the first wrong row is returned */
            if (scene.c_row_ptr[row] < scene.c_row_ptr[row + 1]) {
                scene.c_col_ind[scene.c_row_ptr[row]] = -1;
                assert_int_equal(wrong_row(&s), row);
            }
        test_sparse_scene_free(&scene);
    }
}

/* The longest of the first rows; 0 if there are none. */
static void the_longest_row_is_exact(void **state)
{
    static const int64_t row_ptr[] = {0, 0, 2, 7, 7, 11};
    (void)state;
    assert_int_equal(spmmi_spgemm_longest_row(0, row_ptr), 0);
    assert_int_equal(spmmi_spgemm_longest_row(1, row_ptr), 0);
    assert_int_equal(spmmi_spgemm_longest_row(2, row_ptr), 2);
    assert_int_equal(spmmi_spgemm_longest_row(5, row_ptr), 5);
}

/* An entry may be long if a row of the left factor and a column of the right one have more than 4,096 entries
 * each. */
static void only_long_rows_and_columns_make_long_entries(void **state)
{
    enum { LONG = 4097, COLUMNS = 3 };
    static int32_t columns[LONG];
    int64_t right_ptr[LONG + 1];
    (void)state;
    for (int64_t k = 0; k <= LONG; k++)
        right_ptr[k] = k;
    for (int i = 0; i < 2 * 2 * COLUMNS; i++) {
        const int64_t left_ptr[] = {0, LONG - i % 2};
        const int64_t rows = LONG - i / 2 % 2;
        int may = 2;
        for (int64_t p = 0; p < LONG; p++)
            columns[p] = i / 4;
        const struct spmmi_csr_pattern left = {1, LONG, left_ptr, NULL},
                                       right = {rows, COLUMNS, right_ptr, columns};
        assert_int_equal(spmmi_spgemm_may_be_long(&left, &right, &may, NULL), SPMM_OK);
        assert_int_equal(may, i % 4 == 0);
    }
}

/* The number of threads is the wanted one, or the default of OpenMP, at most 1,024. */
static void threads_are_as_wanted(void **state)
{
    const int before = omp_get_max_threads();
    (void)state;
    omp_set_num_threads(3);
    assert_int_equal(spmmi_spgemm_threads(1), 1);
    assert_int_equal(spmmi_spgemm_threads(2), 2);
    assert_int_equal(spmmi_spgemm_threads(0), 3);
    omp_set_num_threads(1025);
    assert_int_equal(spmmi_spgemm_threads(0), 1024);
    omp_set_num_threads(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_counted_and_listed),
        cmocka_unit_test(rows_that_follow_are_found),
        cmocka_unit_test(entries_that_are_missing_wrong_or_too_many_are_found),
        cmocka_unit_test(the_longest_row_is_exact),
        cmocka_unit_test(only_long_rows_and_columns_make_long_entries),
        cmocka_unit_test(threads_are_as_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
