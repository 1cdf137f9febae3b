/* SPDX-License-Identifier: Apache-2.0 */
/* One triangle of symmetric matrices: what is written for which matrix, and that it is read back bit by
 * bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/alloc.h"
#include "format/base/bytes.h"
#include "format/file/plan_records.h"
#include "format/file/triangle.h"
#include "tests/support/forge.h"
#include "tests/support/plan_seal.h"
#include "tests/support/symmetric_values.h"

static spmm_plan_t *make_plan(const char *name, spmm_dtype_t dtype)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_ROW_SPLIT, 64, 1, 0};
    struct test_matrix *a = test_matrix_named(name, TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    test_matrix_free(a);
    return plan;
}

/* Returns the flags in the header of the written file, and checks that the plan is read back unchanged.
 * *stored: raw bytes of the columns. */
static uint32_t flags_of(const spmm_plan_t *plan, int pattern_only, uint64_t *stored)
{
    const spmm_save_options_t save = {.struct_size = sizeof save, .pattern_only = pattern_only};
    void *bytes = NULL, *again = NULL;
    size_t size = 0, again_size = 0;
    spmm_plan_t *read = NULL;
    spmm_section_info_t s = {.struct_size = sizeof s};
    assert_int_equal(spmm_plan_write(plan, &save, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &read, NULL), SPMM_OK);
    assert_true(pattern_only || test_plans_equal(plan, read));
    assert_memory_equal(plan->col_ind, read->col_ind, (size_t)plan->nnz * sizeof *plan->col_ind);
    assert_int_equal(spmm_plan_write(read, NULL, &again, &again_size, NULL), SPMM_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(bytes, again, size);
    for (int i = 0; spmm_plan_section(read, i, &s) == SPMM_OK && s.type != SPMMI_SECTION_COL_IND; i++)
        ;
    *stored = s.raw_bytes;
    const uint32_t flags = spmmi_get_u32((const uint8_t *)bytes + SPMMI_AT_flags);
    const uint64_t features = spmmi_get_u64((const uint8_t *)bytes + SPMMI_AT_features_incompat);
    assert_int_equal((features & SPMMI_FEATURE_TRIANGLE) != 0, (flags & SPMMI_FLAG_TRIANGLE) != 0);
    assert_int_equal(read->format_minor == 7,
                     (features & (SPMMI_FEATURE_TRIANGLE | SPMMI_FEATURE_TEXTS_FIRST)) != 0);
    spmm_plan_destroy(read);
    spmm_plan_bytes_free(bytes);
    spmm_plan_bytes_free(again);
    return flags;
}

static void symmetric_values_are_stored_once_in_every_type(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    static const char *const names[] = {"arrow", "band"};
    (void)state;
    for (int t = 0; t < 8; t++) {
        spmm_plan_t *plan = make_plan(names[t % 2], dtypes[t / 2]);
        const uint64_t half = (uint64_t)(plan->nnz + plan->stats.diagonal) / 2 * sizeof(int32_t);
        uint64_t stored = 0;
        assert_int_equal(flags_of(plan, 0, &stored), 3); /* random values: only the pattern */
        assert_int_equal(stored, half);
        test_symmetric_values(plan, 0);
        assert_int_equal(flags_of(plan, 0, &stored), 7);
        assert_int_equal(stored, half);
        assert_int_equal(flags_of(plan, 1, &stored), 2);
        assert_int_equal(stored, half);
        test_symmetric_values(plan, 1);
        assert_int_equal(flags_of(plan, 0, &stored), 15);
        spmm_plan_destroy(plan);
    }
}

/* Each of several threads expands some of the rows. */
static void threads_expand_what_one_expands(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16};
    static const char *const names[] = {"arrow", "band"};
    (void)state;
    for (int k = 0; k < 3 * 2 * 3; k++) {
        spmm_plan_t *plan = make_plan(names[k / 3 % 2], dtypes[k / 6]);
        struct spmmi_triangle triangle;
        test_symmetric_values(plan, k % 3 == 2);
        assert_int_equal(spmmi_triangle_of(plan, k % 3 != 0, &triangle, NULL), SPMM_OK);
        assert_true(triangle.rows > 0);
        triangle.is_skew = k % 3 == 2;
        for (int threads = 1; threads <= 18; threads++) {
            spmm_plan_t *made = spmmi_plan_new();
            assert_non_null(made);
            made->rows = made->cols = plan->rows;
            made->nnz = plan->nnz;
            made->dtype = plan->dtype;
            assert_int_equal(spmmi_triangle_check(threads, &triangle, plan->nnz, NULL), SPMM_OK);
            assert_int_equal(spmmi_triangle_expand(threads, &triangle, made, NULL), SPMM_OK);
            assert_memory_equal(made->row_ptr, plan->row_ptr,
                                ((size_t)plan->rows + 1) * sizeof *plan->row_ptr);
            assert_memory_equal(made->col_ind, plan->col_ind, (size_t)plan->nnz * sizeof *plan->col_ind);
            assert_int_equal(made->values != NULL, k % 3 != 0);
            if (made->values != NULL)
                assert_memory_equal(made->values, plan->values,
                                    (size_t)plan->nnz * spmm_dtype_size(plan->dtype));
            spmm_plan_destroy(made);
        }
        spmmi_triangle_free(&triangle);
        spmm_plan_destroy(plan);
    }
}

/* Each bit of every off-diagonal value counts, also in zeros and NaNs. */
static void one_bit_of_a_value_makes_the_difference(void **state)
{
    (void)state;
    for (int is_skew = 0; is_skew < 2; is_skew++) {
        spmm_plan_t *plan = make_plan("arrow", SPMM_F32);
        test_symmetric_values(plan, is_skew);
        for (int64_t p = 0; p < plan->nnz; p += 7) {
            uint32_t *const value = (uint32_t *)plan->values + p;
            const int64_t row = p < plan->row_ptr[1] ? 0 : (p - plan->row_ptr[1]) / 2 + 1;
            uint64_t stored = 0;
            *value ^= UINT32_C(1) << (p % 32);
            test_plan_seal(plan);
            const uint32_t mirrored = is_skew ? 15 : 7;
            assert_int_equal(flags_of(plan, 0, &stored), plan->col_ind[p] == row ? mirrored : 3);
            *value ^= UINT32_C(1) << (p % 32);
        }
        spmm_plan_destroy(plan);
    }
}

static void other_patterns_are_stored_whole(void **state)
{
    static const char *const names[] = {"lower triangle", "odd rows empty", "diagonal",
                                        "dense",          "1 x 1",          "0 x 0"};
    uint64_t stored = 0;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        spmm_plan_t *plan = make_plan(names[i], SPMM_F32);
        assert_int_equal(flags_of(plan, 0, &stored), 1);
        assert_true(plan->nnz == 0 || stored == (uint64_t)plan->nnz * sizeof(int32_t));
        spmm_plan_destroy(plan);
    }
}

/* Returns a symmetric matrix with 2 x pairs off-diagonal entries. If moved >= 0, entry `moved` of the upper
 * triangle is moved one column to the right. */
static spmm_plan_t *pairs_plan(int64_t pairs, int64_t moved)
{
    enum { ROWS = 200 };
    struct test_matrix *a = test_matrix_named("diagonal", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 1};
    spmm_plan_t *plan = test_plan_whole(a, options, "pairs");
    test_matrix_free(a);
    spmmi_free(plan->row_ptr);
    spmmi_free(plan->col_ind);
    plan->rows = plan->cols = ROWS;
    plan->nnz = 2 * pairs;
    plan->row_ptr = spmmi_alloc_zero(ROWS + 1, sizeof *plan->row_ptr);
    plan->col_ind = spmmi_alloc_zero((uint64_t)plan->nnz, sizeof *plan->col_ind);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t p = plan->row_ptr[i];
        const int has_entry = i < 2 * pairs;
        if (has_entry) /* entries (0, 1), (1, 0), (2, 3), (3, 2), .. */
            plan->col_ind[p] = (int32_t)(i % 2 == 0 ? i + 1 : i - 1) + (i % 2 == 0 && i / 2 == moved);
        plan->row_ptr[i + 1] = p + has_entry;
    }
    plan->part_count = plan->variant_count = 0;
    plan->trace_count = 0;
    spmmi_free(plan->parts[0].items);
    plan->parts[0].items = NULL;
    test_plan_seal(plan);
    return plan;
}

static void few_entries_make_no_triangle(void **state)
{
    static const struct {
        int64_t pairs, moved;
        uint32_t flags;
    } table[] = {{63, -1, 0}, {64, -1, 2}, {64, 0, 0}, {64, 31, 0}, {64, 63, 0}, {100, 98, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        spmm_plan_t *plan = pairs_plan(table[i].pairs, table[i].moved);
        uint64_t stored = 0;
        assert_int_equal(flags_of(plan, 0, &stored), table[i].flags);
        spmm_plan_destroy(plan);
    }
}

static void what_is_no_triangle_has_a_sentence(void **state)
{
    int64_t row_ptr[] = {0, 2, 3, 4}; /* (0, 0), (0, 2), (1, 1), (2, 2): 5 nonzeros */
    int32_t columns[] = {0, 2, 1, 2};
    struct spmmi_triangle t = {.rows = 3, .nnz = 4, .row_ptr = row_ptr, .col_ind = columns};
    static const struct {
        int at;
        int32_t column;
        const char *text;
    } table[] = {
        {0, -1, "the columns of row 0 of the triangle are not ascending in 0 to 2"},
        {1, 3, "the columns of row 0 of the triangle are not ascending in 0 to 2"},
        {1, 0, "the columns of row 0 of the triangle are not ascending in 0 to 2"},
        {2, 0, "the columns of row 1 of the triangle are not ascending in 1 to 2"},
        {2, 2, "a triangle of 4 entries, 2 of them on the diagonal, does not make 5 nonzeros"},
    };
    spmm_diag_t diag = {0};
    (void)state;
    assert_int_equal(spmmi_triangle_check_rows(&t, NULL), SPMM_OK);
    assert_int_equal(spmmi_triangle_check(1, &t, 5, NULL), SPMM_OK);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const int32_t before = columns[table[i].at];
        columns[table[i].at] = table[i].column;
        memset(&diag, 0, sizeof diag);
        assert_int_equal(spmmi_triangle_check(1, &t, 5, &diag), SPMM_ERR_PLAN_COL_IND);
        assert_string_equal(diag.text, table[i].text);
        columns[table[i].at] = before;
    }
    row_ptr[3] = 5;
    memset(&diag, 0, sizeof diag);
    assert_int_equal(spmmi_triangle_check_rows(&t, &diag), SPMM_ERR_PLAN_ROW_PTR);
    assert_string_equal(diag.text, "row 2 of the triangle has 2 entries, at most 1 fit");
    row_ptr[2] = row_ptr[3] = 3;
    memset(&diag, 0, sizeof diag);
    assert_int_equal(spmmi_triangle_check_rows(&t, &diag), SPMM_ERR_PLAN_ROW_PTR);
    assert_string_equal(diag.text, "the rows of the triangle have 3 entries, expected 4");
}

/* A triangle without entries has no section of columns. */
static void an_empty_triangle_is_read(void **state)
{
    struct test_matrix *a = test_matrix_named("0 x 0", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 64, 0, 0}, "source");
    spmm_plan_t *read = NULL;
    void *bytes = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    uint8_t *const header = bytes;
    spmmi_put_u32(header + SPMMI_AT_flags, SPMMI_FLAG_VALUES | SPMMI_FLAG_TRIANGLE | SPMMI_FLAG_MIRRORED);
    spmmi_put_u64(header + SPMMI_AT_features_incompat,
                  spmmi_get_u64(header + SPMMI_AT_features_incompat) | SPMMI_FEATURE_TRIANGLE);
    forge_repair(header, size);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &read, NULL), SPMM_OK);
    assert_true(test_plans_equal(plan, read));
    spmm_plan_destroy(read);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* The first wrong row of several pieces is reported, with one thread and with four. */
static void a_wrong_row_of_any_piece_is_told(void **state)
{
    enum { LONG_ROWS = 50000, ENTRIES = 2 * LONG_ROWS - 1 };
    static const int64_t wrong_rows[] = {0, 100, 16384, LONG_ROWS / 2, LONG_ROWS - 1};
    struct spmmi_triangle t = {.rows = LONG_ROWS, .nnz = ENTRIES};
    t.row_ptr = spmmi_alloc_zero(LONG_ROWS + 1, sizeof *t.row_ptr);
    t.col_ind = spmmi_alloc_zero(ENTRIES, sizeof *t.col_ind);
    assert_true(t.row_ptr != NULL && t.col_ind != NULL);
    (void)state;
    for (int64_t p = 0; p < ENTRIES; p++) { /* (i, i) and (i, i + 1) */
        t.col_ind[p] = (int32_t)((p + 1) / 2);
        t.row_ptr[p / 2 + 1] = p + 1;
    }
    for (int threads = 1; threads <= 4; threads += 3)
        assert_int_equal(spmmi_triangle_check(threads, &t, 2 * ENTRIES - LONG_ROWS, NULL), SPMM_OK);
    for (int i = (int)(sizeof wrong_rows / sizeof wrong_rows[0]) - 1; i >= 0;
         i--) { /* later wrong rows stay wrong */
        spmm_diag_t diag[2] = {{0}};
        char text[100];
        t.col_ind[2 * wrong_rows[i]] = -1;
        (void)snprintf(text, sizeof text,
                       "the columns of row %d of the triangle are not ascending in %d to %d",
                       (int)wrong_rows[i], (int)wrong_rows[i], LONG_ROWS - 1);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(spmmi_triangle_check(1 + 3 * k, &t, 2 * ENTRIES - LONG_ROWS, &diag[k]),
                             SPMM_ERR_PLAN_COL_IND);
            assert_string_equal(diag[k].text, text);
            assert_int_equal(diag[k].offset, wrong_rows[i]);
        }
    }
    spmmi_triangle_free(&t);
}

static void memory_may_run_out_at_any_time(void **state)
{
    spmm_plan_t *plan = make_plan("band", SPMM_F64);
    const spmm_save_options_t save = {.struct_size = sizeof save, .threads = 1};
    spmm_status_t status = SPMM_ERR_MEMORY;
    void *bytes = NULL;
    size_t size = 0;
    (void)state;
    test_symmetric_values(plan, 1);
    const int64_t live = spmmi_alloc_live();
    for (int64_t failed = 0; status != SPMM_OK; failed++) {
        spmmi_alloc_fail_at(failed, 0);
        status = spmm_plan_write(plan, &save, &bytes, &size, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || (status == SPMM_ERR_MEMORY && spmmi_alloc_live() == live));
    }
    const int64_t written = spmmi_alloc_live();
    status = SPMM_ERR_MEMORY;
    for (int64_t failed = 0; status != SPMM_OK; failed++) {
        spmm_plan_t *read = NULL;
        spmmi_alloc_fail_at(failed, 0);
        status = spmm_plan_read(bytes, size, NULL, &read, NULL);
        spmmi_alloc_fail_at(-1, 0);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        spmm_plan_destroy(read);
        assert_int_equal(spmmi_alloc_live(), written);
    }
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_values_are_stored_once_in_every_type),
        cmocka_unit_test(threads_expand_what_one_expands),
        cmocka_unit_test(one_bit_of_a_value_makes_the_difference),
        cmocka_unit_test(other_patterns_are_stored_whole),
        cmocka_unit_test(few_entries_make_no_triangle),
        cmocka_unit_test(what_is_no_triangle_has_a_sentence),
        cmocka_unit_test(an_empty_triangle_is_read),
        cmocka_unit_test(a_wrong_row_of_any_piece_is_told),
        cmocka_unit_test(memory_may_run_out_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
