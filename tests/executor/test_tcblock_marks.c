/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts that are built with marks equal those that are built without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "kernels/panel/panel_pack.h"
#include "kernels/tcblock/tcblock_store.h"
#include "kernels/window/window_pack.h"
#include "tcblock_built.h"
#include "tests/support/tcblock_kind_of.h"

/* Checks that the layout without a value map, which is built with marks, has the arrays of the layout with a
 * map, which is built with cursors. */
static void arrays_without_a_map_are_the_same(const struct tcblock_built *b)
{
    struct tcblock_array with[TCBLOCK_ARRAYS], without[TCBLOCK_ARRAYS];
    struct spmmi_tcblock_layout layout;
    spmm_diag_t diag = {.text = ""};
    if (spmmi_tcblocks_build_unmapped(test_tcblock_kind_of(&b->part), b->a->rows, b->a->cols, b->a->row_ptr,
                                      b->a->col_ind, &b->part, b->shape->dtype, SPMMI_STORE_MAX, &layout,
                                      &diag) != SPMM_OK)
        fail_msg("%s: %s", b->a->name, diag.text);
    assert_null(layout.value_map);
    tcblock_arrays_of(&b->layout.view, with);
    tcblock_arrays_of(&layout.view, without);
    for (int i = 0; i < TCBLOCK_ARRAYS; i++) {
        assert_int_equal(with[i].entries == NULL, without[i].entries == NULL);
        if (with[i].entries == NULL)
            continue;
        assert_int_equal(with[i].count, without[i].count);
        assert_memory_equal(with[i].entries, without[i].entries, with[i].count * with[i].size);
    }
    spmmi_tcblocks_free(&layout);
}

static void layouts_need_no_map(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            struct tcblock_built b =
                tcblock_built_make(test_matrix_make(m, TEST_VALUES_INTEGER), &tcblock_shapes[s]);
            arrays_without_a_map_are_the_same(&b);
            tcblock_built_free(&b);
        }
}

#define ALIKE_ROWS 150
#define ALIKE_LENGTH 6

/* Returns a matrix with groups of 1 to 7 rows. The rows of a group are equal, or differ in one inner column
 * or only in length; some groups are empty. Columns of a row are `apart` columns apart, and each group begins
 * at another column. */
static struct test_matrix *rows_alike(int32_t apart)
{
    int32_t columns[ALIKE_ROWS * (ALIKE_LENGTH + 1)];
    size_t end = 0;
    for (int32_t row = 0, group = 0; row < ALIKE_ROWS; group++) {
        for (int32_t i = 0; i <= group % 7 && row < ALIKE_ROWS; i++, row++) {
            for (int32_t k = 0; k < ALIKE_LENGTH && group % 5 != 4; k++)
                if (group % 3 == 0 || k != 2 || i % 2 == 0)
                    columns[end++] = group + k * apart + (group % 3 == 1 && k == 3 && i == 1);
            columns[end++] = -1;
        }
    }
    return tcblock_matrix_of(ALIKE_ROWS, ALIKE_ROWS + ALIKE_LENGTH * apart, columns);
}

/* Near columns are marked. A unit with more than 64 columns per nonzero (row blocks: 8) has no marks. */
static void rows_that_are_alike_are_packed_as_others(void **state)
{
    static const int32_t apart[] = {2, 9, 100, 1500, 10000};
    (void)state;
    for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++)
        for (size_t s = 0; s < TCBLOCK_SHAPES; s++) {
            struct tcblock_built b = tcblock_built_make(rows_alike(apart[k]), &tcblock_shapes[s]);
            if (tcblock_shapes[s].family == SPMM_FAMILY_BCSR)
                bcsr_literal_check(&b);
            else
                tcblock_literal_check(&b);
            arrays_without_a_map_are_the_same(&b);
            tcblock_built_free(&b);
        }
}

/* A row block has marks for fewer columns than a row window. */
static void marks_are_limited_by_the_nonzeros(void **state)
{
    static const struct {
        uint32_t windows;
        uint64_t nonzeros;
        uint32_t cols, marked_max;
    } cases[] = {
        {1, 100, 1000000, 6400}, {8, 100, 1000000, 800}, {8, 100, 700, 700}, {8, 100000, 1000000, 1 << 18}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct spmmi_tcblock_unit unit;
        assert_int_equal(
            spmmi_tcblock_unit_make(cases[i].windows, cases[i].nonzeros, cases[i].cols, &unit, NULL),
            SPMM_OK);
        assert_int_equal(unit.marked_max, cases[i].marked_max);
        spmmi_tcblock_unit_free(&unit);
    }
}

/* The unit has one row, each of whose nonzeros is an entry and a column. */
static void what_is_reserved_is_what_units_keep_at_most(void **state)
{
    static const int64_t row_ptr[] = {0, 3};
    static const int32_t col_ind[] = {2, 5, 7};
    static const uint32_t row = 0, windows[] = {1, SPMMI_TCBLOCK_WINDOWS_MAX};
    const struct spmmi_tcblock_kind *const kinds[] = {&spmmi_window_kind, &spmmi_panel_kind};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct spmmi_tcblock_unit unit;
        assert_int_equal(spmmi_tcblock_unit_make(windows[i], 3, 8, &unit, NULL), SPMM_OK);
        spmmi_tcblock_unit_read(&unit, row_ptr, col_ind, &row, 1);
        assert_int_equal(kinds[i]->unit_bytes_kept(&unit), 3 * kinds[i]->kept_max + kinds[i]->kept_unit);
        spmmi_tcblock_unit_free(&unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_need_no_map),
        cmocka_unit_test(rows_that_are_alike_are_packed_as_others),
        cmocka_unit_test(marks_are_limited_by_the_nonzeros),
        cmocka_unit_test(what_is_reserved_is_what_units_keep_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
