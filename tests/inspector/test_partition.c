/* SPDX-License-Identifier: Apache-2.0 */
/* Checks work items: each nonzero is in exactly one item of each schedule, and items are as plan.h describes
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "format/base/alloc.h"
#include "inspector/matrix/matrix.h"
#include "kernels/rows/rows_partition_plan.h"

/* ---- Hand-made row pointers and their items ---- */

struct item_case {
    const char *name;
    int64_t rows;
    int64_t row_ptr[12];
    uint64_t row_split_count, nonzero_split_count;
    uint32_t row_split[12], nonzero_split[12];
};

static const struct item_case item_cases[] = {
    {"no_rows_have_no_items", 0, {0}, 0, 0, {0}, {0}},
    {"empty_rows_share_one_item", 3, {0, 0, 0, 0}, 1, 0, {0}, {0}},
    {"one_short_row_is_one_item", 1, {0, 5}, 1, 1, {0}, {0}},
    {"rows_share_an_item_until_it_is_full", 5, {0, 8, 16, 24, 32, 40}, 3, 3, {0, 2, 4}, {0, 2, 4}},
    {"an_item_ends_exactly_at_16", 2, {0, 16, 32}, 2, 2, {0, 1}, {0, 1}},
    {"a_row_of_15_waits_for_the_next", 3, {0, 15, 30, 31}, 2, 2, {0, 2}, {0, 1}},
    {"a_long_row_has_many_nonzero_items", 3, {0, 1, 50, 51}, 2, 4, {0, 2}, {0, 1, 1, 1}},
    {"empty_rows_at_the_end_get_an_item_after_a_full_one", 4, {0, 16, 16, 16, 16}, 2, 1, {0, 1}, {0}},
    {"empty_rows_in_front_belong_to_the_first_item", 4, {0, 0, 0, 20, 24}, 2, 2, {0, 3}, {2, 2}},
    {"empty_rows_between_are_in_the_item_that_begins_there",
     5,
     {0, 16, 16, 16, 20, 36},
     2,
     3,
     {0, 1},
     {0, 3, 4}},
};

static void makes_the_items_counted_by_hand(void **state)
{
    const struct item_case *c = *state;
    struct spmmi_part part = {0};
    assert_int_equal(spmmi_partition(SPMM_OP_N, SPMM_SCHEDULE_ROW_SPLIT, 16, c->rows, c->row_ptr, 1, &part),
                     SPMM_OK);
    assert_int_equal(part.item_count, c->row_split_count);
    assert_memory_equal(part.items, c->row_split, part.item_count * sizeof(uint32_t));
    spmmi_free(part.items);
    assert_int_equal(
        spmmi_partition(SPMM_OP_T, SPMM_SCHEDULE_NONZERO_SPLIT, 16, c->rows, c->row_ptr, 1, &part), SPMM_OK);
    assert_int_equal(part.item_count, c->nonzero_split_count);
    assert_memory_equal(part.items, c->nonzero_split, part.item_count * sizeof(uint32_t));
    assert_int_equal(part.op, SPMM_OP_T);
    assert_int_equal(part.family, SPMM_FAMILY_ROWS);
    assert_int_equal(part.schedule, SPMM_SCHEDULE_NONZERO_SPLIT);
    assert_int_equal(part.item_size, 16);
    spmmi_free(part.items);
}

/* ---- Cover, over all generators ---- */

static const char *const specs[] = {
    "gen:fem3:5:5:9",     "gen:femshuf:5:5:9",       "gen:lap27:9",      "gen:qcd:3",      "gen:band:900:7",
    "gen:block:512:16:3", "gen:rand:3000:5",         "gen:rmat:11:9",    "gen:dense:37:5", "gen:dense:3:4000",
    "gen:diag:1000",      "gen:arrow:3000",          "gen:empty:50:60",  "gen:empty:0:60", "gen:empty:60:0",
    "gen:diag:1",         "gen:powerlaw:2000:700:9", "gen:dense:1:1000", "gen:dense:17:1", "gen:dense:1000:1",
};
static const uint32_t item_sizes[] = {16, 64, 4096};

static void check_row_split(const struct spmmi_part *part, int64_t rows, const int64_t *row_ptr)
{
    if (rows == 0)
        return assert_int_equal(part->item_count, 0);
    assert_int_equal(part->items[0], 0);
    for (uint64_t i = 0; i < part->item_count; i++) {
        const int64_t first = part->items[i];
        const int64_t end = i + 1 < part->item_count ? part->items[i + 1] : rows;
        assert_true(first < end && end <= rows);
        const int64_t held = row_ptr[end] - row_ptr[first];
        /* An item is full, unless it is the last one. Without its last row it is not full. */
        assert_true(held >= part->item_size || end == rows);
        assert_true(row_ptr[end - 1] - row_ptr[first] < part->item_size || end - 1 == first);
    }
}

static void check_nonzero_split(const struct spmmi_part *part, int64_t rows, const int64_t *row_ptr)
{
    const int64_t nnz = row_ptr[rows];
    uint8_t *seen = spmmi_alloc_zero((uint64_t)nnz, 1);
    for (uint64_t i = 0; i < part->item_count; i++) {
        const int64_t begin = (int64_t)i * part->item_size;
        const int64_t end = begin + part->item_size < nnz ? begin + part->item_size : nnz;
        const int64_t row = part->items[i];
        assert_true(row < rows && row_ptr[row] <= begin && begin < row_ptr[row + 1]);
        for (int64_t p = begin; p < end; p++)
            seen[p]++;
    }
    for (int64_t p = 0; p < nnz; p++)
        assert_int_equal(seen[p], 1);
    spmmi_free(seen);
}

static void check_both(spmm_op_t op, int64_t rows, const int64_t *row_ptr)
{
    for (size_t g = 0; g < sizeof item_sizes / sizeof item_sizes[0]; g++) {
        for (int s = SPMM_SCHEDULE_ROW_SPLIT; s <= SPMM_SCHEDULE_NONZERO_SPLIT; s++) {
            struct spmmi_part one = {0};
            struct spmmi_part many = {0};
            assert_int_equal(spmmi_partition(op, (spmm_schedule_t)s, item_sizes[g], rows, row_ptr, 1, &one),
                             SPMM_OK);
            assert_int_equal(spmmi_partition(op, (spmm_schedule_t)s, item_sizes[g], rows, row_ptr, 5, &many),
                             SPMM_OK);
            assert_int_equal(one.item_count, many.item_count);
            assert_memory_equal(one.items, many.items, one.item_count * sizeof(uint32_t));
            if (s == SPMM_SCHEDULE_ROW_SPLIT)
                check_row_split(&one, rows, row_ptr);
            else
                check_nonzero_split(&one, rows, row_ptr);
            spmmi_free(one.items);
            spmmi_free(many.items);
        }
    }
}

static void covers_every_nonzero_once(void **state)
{
    const char *spec = *state;
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(spec, &m, NULL), SPMM_OK);
    check_both(SPMM_OP_N, m->rows, m->row_ptr);

    int64_t *t_row_ptr = spmmi_alloc((uint64_t)m->cols + 1, sizeof *t_row_ptr);
    int64_t *expected = spmmi_alloc((uint64_t)m->cols + 1, sizeof *expected);
    int32_t *t_col_ind = spmmi_alloc((uint64_t)m->nnz, sizeof *t_col_ind);
    spmmi_transpose_row_ptr(m->cols, m->nnz, m->col_ind, t_row_ptr);
    assert_int_equal(spmmi_transpose(m->rows, m->cols, m->row_ptr, m->col_ind, expected, t_col_ind, NULL),
                     SPMM_OK);
    assert_memory_equal(t_row_ptr, expected, ((size_t)m->cols + 1) * sizeof *expected);
    check_both(SPMM_OP_T, m->cols, t_row_ptr);
    spmmi_free(t_col_ind);
    spmmi_free(expected);
    spmmi_free(t_row_ptr);
    spmm_matrix_destroy(m);
}

static void many_rows_are_split_in_parallel_to_the_same_items(void **state)
{
    (void)state;
    enum { ROWS = 300000 };
    int64_t *row_ptr = spmmi_alloc(ROWS + 1, sizeof *row_ptr);
    row_ptr[0] = 0;
    for (int64_t i = 0; i < ROWS; i++)
        row_ptr[i + 1] = row_ptr[i] + (i % 1000 == 0 ? 501 : i * 7 % 5);
    check_both(SPMM_OP_N, ROWS, row_ptr);
    spmmi_free(row_ptr);
}

static void says_when_memory_is_short(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 3};
    struct spmmi_part part = {0};
    spmmi_alloc_fail_at(0, 0);
    assert_int_equal(spmmi_partition(SPMM_OP_N, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, row_ptr, 1, &part),
                     SPMM_ERR_MEMORY);
    spmmi_alloc_fail_at(-1, 0);
    assert_null(part.items);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
    struct CMUnitTest tests[COUNT(item_cases) + COUNT(specs) + 2];
    size_t count = 0;
    for (size_t i = 0; i < COUNT(item_cases); i++)
        tests[count++] = (struct CMUnitTest){item_cases[i].name, makes_the_items_counted_by_hand, NULL, NULL,
                                             (void *)(uintptr_t)&item_cases[i]};
    for (size_t i = 0; i < COUNT(specs); i++)
        tests[count++] =
            (struct CMUnitTest){specs[i], covers_every_nonzero_once, NULL, NULL, (void *)(uintptr_t)specs[i]};
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(many_rows_are_split_in_parallel_to_the_same_items);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(says_when_memory_is_short);
    return cmocka_run_group_tests_name("partition", tests, NULL, NULL);
}
