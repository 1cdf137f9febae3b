/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of rows in the order of column panels. Each nonzero is in one piece. Pieces are sorted by panel and
 * row, are long enough, and are numbered in the order of their row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/rows/rows_pieces_pack.h"
#include "tests/support/plan_build.h"

#define ROWS 24
#define COLS 98800 /* the last panel is narrow */
#define L2_BYTES (50u << 20)

/* Row 0 is full. Long rows have a fifth of the columns or fewer, other rows have few or none. */
static bool is_long(int64_t i)
{
    return i % 6 != 1 && i % 7 != 3;
}
TEST_PATTERN(mixed_rows,
             i == 0 || (is_long(i) ? test_chance(i, j, (uint64_t)i + 3) : i % 6 == 1 && j % 9000 == i))

static spmm_plan_t *plan_of(int64_t rows, int64_t cols,
                            bool (*stores)(const struct test_pattern *, int64_t, int64_t))
{
    const struct test_pattern pattern = {"pieces", rows, cols, stores};
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 8, 0, 0};
    struct test_matrix *a = test_matrix_of(&pattern, TEST_VALUES_INTEGER);
    spmm_plan_t *plan = test_plan_build(a, options);
    plan->stats.cols_empty = 0;
    test_matrix_free(a);
    return plan;
}

/* Returns the row of A to which a piece belongs. */
static int64_t row_of(const struct spmmi_rows_pieces_host *h, uint32_t piece)
{
    uint32_t i = 0;
    if (h->target[piece] < ROWS)
        return h->target[piece];
    while (h->first[i + 1] <= h->target[piece] - ROWS)
        i++;
    return h->row[i];
}

static void each_nonzero_is_in_one_piece_of_its_row(void **state)
{
    (void)state;
    struct spmmi_rows_pieces_size size;
    struct spmmi_rows_pieces_host h;
    spmm_plan_t *plan = plan_of(ROWS, COLS, mixed_rows);
    char *met = calloc((size_t)plan->nnz, 1);
    assert_non_null(met);
    int pays = 0;
#pragma omp critical /* a critical section of a caller */
    pays = spmmi_rows_pieces_pay(plan, L2_BYTES, &size);
    assert_true(pays);
    assert_int_equal(spmmi_rows_pieces_build(plan, &size, &h, NULL), SPMM_OK);
    assert_int_equal(h.row_ptr[size.pieces], plan->nnz);
    for (uint32_t i = 0; i < size.pieces; i++) {
        const int64_t row = row_of(&h, i);
        for (int64_t q = h.row_ptr[i]; q < h.row_ptr[i + 1]; q++) {
            assert_int_equal(met[h.map[q]]++, 0);
            assert_in_range(h.map[q], plan->row_ptr[row], plan->row_ptr[row + 1] - 1);
            assert_int_equal(h.col_ind[q], plan->col_ind[h.map[q]]);
            if (q > h.row_ptr[i])
                assert_int_equal(h.map[q], h.map[q - 1] + 1);
        }
    }
    spmmi_rows_pieces_host_free(&h);
    spmm_plan_destroy(plan);
    free(met);
}

static void pieces_come_by_panel_and_row(void **state)
{
    (void)state;
    struct spmmi_rows_pieces_size size;
    struct spmmi_rows_pieces_host h;
    spmm_plan_t *plan = plan_of(ROWS, COLS, mixed_rows);
    int64_t end[ROWS] = {0};
    int32_t panel = 0;
    int64_t row = -1;
    (void)spmmi_rows_pieces_pay(plan, L2_BYTES, &size);
    assert_int_equal(spmmi_rows_pieces_build(plan, &size, &h, NULL), SPMM_OK);
    for (uint32_t i = 0; i < size.pieces; i++) {
        const int64_t length = h.row_ptr[i + 1] - h.row_ptr[i], of = row_of(&h, i);
        const int32_t middle = h.col_ind[h.row_ptr[i] + length / 2] / SPMMI_ROWS_PANEL_COLUMNS;
        assert_true(middle > panel || (middle == panel && of > row));
        panel = middle;
        row = of;
        /* A cut piece is long enough and follows the pieces of its row with lower columns. */
        if (h.target[i] >= ROWS)
            assert_true(length >= SPMMI_ROWS_PIECE_NONZEROS);
        assert_true(end[of] == 0 || h.map[h.row_ptr[i]] == end[of]);
        end[of] = h.map[h.row_ptr[i]] + length;
    }
    for (uint32_t i = 0; i < size.cut_rows; i++)
        assert_true(h.first[i + 1] > h.first[i] + 1 && is_long(h.row[i]));
    assert_int_equal(h.first[size.cut_rows], size.cut);
    spmmi_rows_pieces_host_free(&h);
    spmm_plan_destroy(plan);
}

TEST_PATTERN(one_long_row, i == 0 ? j % 8 == 0 : j >= 40 * i && j < 40 * (i + 1))
TEST_PATTERN(scattered_rows, (j * 31 + i * 7) % 1000 == 0)

static int pays(int64_t rows, bool (*stores)(const struct test_pattern *, int64_t, int64_t),
                uint64_t l2_bytes, struct spmmi_rows_pieces_size *size)
{
    spmm_plan_t *plan = plan_of(rows, COLS, stores);
    const int answer = spmmi_rows_pieces_pay(plan, l2_bytes, size);
    spmm_plan_destroy(plan);
    return answer;
}

/* B fits the cache; long rows have few of the nonzeros; pieces are in many panels. */
static void other_matrices_have_none(void **state)
{
    (void)state;
    struct spmmi_rows_pieces_size size;
    assert_true(pays(ROWS, mixed_rows, COLS / 2 * 3 * SPMMI_ROWS_TILE_BYTES - 3, &size));
    assert_false(pays(ROWS, mixed_rows, COLS / 2 * 3 * SPMMI_ROWS_TILE_BYTES, &size));
    assert_int_equal(size.pieces, 0);
    assert_true(pays(800, one_long_row, L2_BYTES, &size));
    assert_int_equal(size.cut_rows, 1);
    assert_false(pays(1000, one_long_row, L2_BYTES, &size));
    assert_int_equal(size.cut_rows, 1);
    assert_false(pays(100, scattered_rows, L2_BYTES, &size));
    assert_int_equal(size.cut_rows, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_nonzero_is_in_one_piece_of_its_row),
        cmocka_unit_test(pieces_come_by_panel_and_row),
        cmocka_unit_test(other_matrices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
