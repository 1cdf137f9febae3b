/* SPDX-License-Identifier: Apache-2.0 */
/* Every argument that public functions of plans refuse: NULL pointers, indices and options out of range,
 * invalid views of matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <string.h>

#include "tests/support/plan_seal.h"

#define REFUSES(call) assert_int_equal(call, SPMM_ERR_ARGUMENT)

static spmm_plan_t *whole_plan(int has_no_values)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, has_no_values};
    spmm_plan_t *plan = test_plan_whole(a, options, "source");
    test_matrix_free(a);
    return plan;
}

static void loading(void **state)
{
    (void)state;
    spmm_load_options_t options = SPMM_LOAD_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    REFUSES(spmm_plan_load("file", NULL, NULL, NULL));
    REFUSES(spmm_plan_load(NULL, NULL, &plan, NULL));
    REFUSES(spmm_plan_read("", 1, NULL, NULL, NULL));
    REFUSES(spmm_plan_read(NULL, 1, NULL, &plan, NULL));
    options.threads = -1;
    REFUSES(spmm_plan_load("file", &options, &plan, NULL));
    REFUSES(spmm_plan_read("", 1, &options, &plan, NULL));
    assert_null(plan);
}

static void saving(void **state)
{
    (void)state;
    const struct {
        int level, threads;
        spmm_status_t expected;
    } cases[] = {{0, 0, SPMM_OK},
                 {19, 1, SPMM_OK},
                 {-1, 0, SPMM_ERR_ARGUMENT},
                 {20, 0, SPMM_ERR_ARGUMENT},
                 {0, -1, SPMM_ERR_ARGUMENT}};
    spmm_plan_t *plan = whole_plan(0);
    void *bytes = NULL;
    size_t size = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_save_options_t options = SPMM_SAVE_OPTIONS_INIT;
        options.level = cases[i].level;
        options.threads = cases[i].threads;
        assert_int_equal(spmm_plan_write(plan, &options, &bytes, &size, NULL), cases[i].expected);
        assert_int_equal(bytes != NULL, cases[i].expected == SPMM_OK);
        spmm_plan_bytes_free(bytes);
    }
    REFUSES(spmm_plan_write(plan, NULL, NULL, &size, NULL));
    REFUSES(spmm_plan_write(plan, NULL, &bytes, NULL, NULL));
    REFUSES(spmm_plan_write(NULL, NULL, &bytes, &size, NULL));
    REFUSES(spmm_plan_save(NULL, "/dev/null/file", NULL, NULL));
    REFUSES(spmm_plan_save(plan, NULL, NULL, NULL));
    spmm_plan_destroy(plan);
}

static void asking_without_a_plan(void **state)
{
    (void)state;
    REFUSES(spmm_plan_info(NULL, &(spmm_plan_info_t){.struct_size = sizeof(spmm_plan_info_t)}));
    REFUSES(spmm_plan_matrix_stats(NULL, &(spmm_matrix_stats_t){.struct_size = sizeof(spmm_matrix_stats_t)}));
    REFUSES(spmm_plan_row_block_metrics(
        NULL, &(spmm_row_block_metrics_t){.struct_size = sizeof(spmm_row_block_metrics_t)}));
    REFUSES(spmm_plan_permutation_metrics(
        NULL, 0, &(spmm_permutation_metrics_t){.struct_size = sizeof(spmm_permutation_metrics_t)}));
    REFUSES(spmm_plan_variant(NULL, 0, &(spmm_variant_info_t){.struct_size = sizeof(spmm_variant_info_t)}));
    REFUSES(spmm_plan_part(NULL, 0, &(spmm_part_info_t){.struct_size = sizeof(spmm_part_info_t)}));
    REFUSES(spmm_plan_trace(NULL, 0, &(spmm_trace_info_t){.struct_size = sizeof(spmm_trace_info_t)}));
    REFUSES(spmm_plan_section(NULL, 0, &(spmm_section_info_t){.struct_size = sizeof(spmm_section_info_t)}));
    REFUSES(spmm_plan_csr(NULL, &(spmm_csr_t){0}));
}

/* Indices before the first and after the last object of a new plan. */
static void asking_for_what_is_not_there(void **state)
{
    (void)state;
    spmm_plan_t *plan = whole_plan(0);
    const int past[] = {-1, INT_MIN, 1, INT_MAX};
    test_plan_permutation_metrics(plan);
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++) {
        const int metrics = past[i] == 1 ? (int)plan->permutation_metrics_count : past[i];
        REFUSES(spmm_plan_permutation_metrics(
            plan, metrics, &(spmm_permutation_metrics_t){.struct_size = sizeof(spmm_permutation_metrics_t)}));
        REFUSES(spmm_plan_variant(plan, past[i],
                                  &(spmm_variant_info_t){.struct_size = sizeof(spmm_variant_info_t)}));
        REFUSES(spmm_plan_part(plan, past[i], &(spmm_part_info_t){.struct_size = sizeof(spmm_part_info_t)}));
        REFUSES(
            spmm_plan_trace(plan, past[i], &(spmm_trace_info_t){.struct_size = sizeof(spmm_trace_info_t)}));
        REFUSES(spmm_plan_section(plan, past[i],
                                  &(spmm_section_info_t){.struct_size = sizeof(spmm_section_info_t)}));
    }
    REFUSES(spmm_plan_section(plan, 0, &(spmm_section_info_t){.struct_size = sizeof(spmm_section_info_t)}));
    REFUSES(spmm_plan_csr(plan, NULL));
    const uint32_t *permutation = NULL;
    int64_t count = 0;
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++)
        REFUSES(spmm_plan_row_permutation(plan, past[i], &permutation, &count));
    for (size_t i = 0; i < sizeof past / sizeof past[0]; i++)
        REFUSES(spmm_plan_part_permutation(plan, past[i], &permutation, &count));
    spmm_plan_destroy(plan);
}

static void lists_end(void **state)
{
    (void)state;
    const int none[] = {-1, INT_MIN, 1000, INT_MAX};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        REFUSES(spmm_family_at(none[i], &(spmm_family_info_t){.struct_size = sizeof(spmm_family_info_t)}));
        REFUSES(
            spmm_schedule_at(none[i], &(spmm_schedule_info_t){.struct_size = sizeof(spmm_schedule_info_t)}));
        REFUSES(spmm_reorder_at(none[i], &(spmm_reorder_info_t){.struct_size = sizeof(spmm_reorder_info_t)}));
        REFUSES(spmm_dtype_at(none[i], &(spmm_dtype_info_t){.struct_size = sizeof(spmm_dtype_info_t)}));
        REFUSES(spmm_types_at(none[i], &(spmm_types_info_t){.struct_size = sizeof(spmm_types_info_t)}));
    }
}

/* Every row of a list has a name, and the index after the last row is refused. */
#define EXPECT_LIST(at, type, is_row)               \
    do {                                            \
        type row = {.struct_size = sizeof row};     \
        int count = 0;                              \
        for (; at(count, &row) == SPMM_OK; count++) \
            assert_true(is_row);                    \
        assert_in_range(count, 2, 100);             \
    } while (0)

static void lists_begin_at_0_and_hold_rows_alone(void **state)
{
    (void)state;
    EXPECT_LIST(spmm_family_at, spmm_family_info_t, row.name != NULL && row.name[0] != '\0');
    EXPECT_LIST(spmm_schedule_at, spmm_schedule_info_t, row.name != NULL && row.name[0] != '\0');
    EXPECT_LIST(spmm_reorder_at, spmm_reorder_info_t, row.name != NULL && row.name[0] != '\0');
    EXPECT_LIST(spmm_dtype_at, spmm_dtype_info_t, row.name != NULL && row.name[0] != '\0');
    EXPECT_LIST(spmm_types_at, spmm_types_info_t, spmm_dtype_size(row.a_type) != 0);
}

/* One member of a view of the plan's own matrix is changed. */
static void views_that_are_no_matrix(void **state)
{
    (void)state;
    spmm_plan_t *plan = whole_plan(0);
    spmm_csr_t view;
    assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
    REFUSES(spmm_plan_matches(NULL, &view, 1, NULL));
    REFUSES(spmm_plan_matches(plan, NULL, 1, NULL));
#define CHANGED(member, value, expected)                                        \
    do {                                                                        \
        spmm_csr_t changed = view;                                              \
        changed.member = value;                                                 \
        assert_int_equal(spmm_plan_matches(plan, &changed, 1, NULL), expected); \
    } while (0)
    CHANGED(rows, view.rows, SPMM_OK);
    CHANGED(rows, -1, SPMM_ERR_CSR);
    CHANGED(cols, -1, SPMM_ERR_CSR);
    CHANGED(nnz, -1, SPMM_ERR_CSR);
    CHANGED(rows, view.rows + 1, SPMM_ERR_MISMATCH);
    CHANGED(cols, view.cols + 1, SPMM_ERR_MISMATCH);
    CHANGED(nnz, view.nnz + 1, SPMM_ERR_MISMATCH);
    CHANGED(rows, 0, SPMM_ERR_MISMATCH);
    CHANGED(cols, 0, SPMM_ERR_MISMATCH);
    CHANGED(nnz, 0, SPMM_ERR_MISMATCH);
    CHANGED(row_ptr_type, (spmm_itype_t)7, SPMM_ERR_ARGUMENT);
    CHANGED(col_ind_type, (spmm_itype_t)7, SPMM_ERR_ARGUMENT);
    CHANGED(value_type, (spmm_dtype_t)0, SPMM_ERR_ARGUMENT);
    CHANGED(row_ptr, NULL, SPMM_ERR_ARGUMENT);
    CHANGED(col_ind, NULL, SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

/* Two NaNs with different bits match. NaN does not match a number. */
static void nan_matches_nan_alone(void **state)
{
    (void)state;
    const uint32_t nan[] = {0x7fc00000, 0xffc00001, 0x3f800000};
    spmm_plan_t *plan = whole_plan(0);
    float *own = plan->values, values[1000];
    spmm_csr_t view;
    assert_in_range(plan->nnz, 1, 1000);
    memcpy(values, own, (size_t)plan->nnz * sizeof *values);
    assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
    view.values = values;
    for (int k = 0; k < 9; k++) {
        memcpy(&own[0], &nan[k / 3], sizeof *own);
        memcpy(&values[0], &nan[k % 3], sizeof *values);
        const int same = k / 3 == k % 3 || (k / 3 < 2 && k % 3 < 2);
        assert_int_equal(spmm_plan_matches(plan, &view, 1, NULL), same ? SPMM_OK : SPMM_ERR_MISMATCH);
    }
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading),
        cmocka_unit_test(saving),
        cmocka_unit_test(asking_without_a_plan),
        cmocka_unit_test(asking_for_what_is_not_there),
        cmocka_unit_test(lists_end),
        cmocka_unit_test(lists_begin_at_0_and_hold_rows_alone),
        cmocka_unit_test(views_that_are_no_matrix),
        cmocka_unit_test(nan_matches_nan_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
