/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of plans with matrices, queries of plans, and statistics of very wide matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "format/base/alloc.h"
#include "tests/support/plan_seal.h"

static spmm_plan_t *make_plan(int has_no_values)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(
        a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, has_no_values}, "source");
    test_matrix_free(a);
    return plan;
}

static void only_the_same_matrix_matches(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan(0);
    int32_t row_ptr[101], columns[1000];
    double values[1000];
    assert_int_equal(plan->rows, 100);
    for (int64_t i = 0; i <= plan->rows; i++)
        row_ptr[i] = (int32_t)plan->row_ptr[i];
    for (int64_t p = 0; p < plan->nnz; p++) {
        columns[p] = plan->col_ind[p];
        values[p] = (double)((const float *)plan->values)[p] * (1.0 + 1e-12); /* rounds to the same float */
    }
    const spmm_csr_t same = {plan->rows, plan->cols, plan->nnz, SPMM_I32, SPMM_I32,
                             row_ptr,    columns,    SPMM_F64,  values};
    spmm_csr_t other = same;
    spmm_diag_t diag;
    assert_int_equal(spmm_plan_matches(plan, &same, 1, &diag), SPMM_OK);
    other.cols++;
    assert_int_equal(spmm_plan_matches(plan, &other, 0, &diag), SPMM_ERR_MISMATCH);
    row_ptr[50]++;
    assert_int_equal(spmm_plan_matches(plan, &same, 0, &diag), SPMM_ERR_MISMATCH);
    assert_int_equal(diag.offset, 50);
    row_ptr[50]--;
    row_ptr[0] = 1;
    assert_int_equal(spmm_plan_matches(plan, &same, 0, &diag), SPMM_ERR_MISMATCH);
    assert_string_equal(diag.text, "the first row pointer of the matrix is 1, expected 0");
    row_ptr[0] = 0;
    columns[7]++;
    assert_int_equal(spmm_plan_matches(plan, &same, 0, &diag), SPMM_ERR_MISMATCH);
    assert_int_equal(diag.offset, 7);
    columns[7]--;
    values[9] *= 1.001;
    assert_int_equal(spmm_plan_matches(plan, &same, 1, &diag), SPMM_ERR_MISMATCH);
    assert_int_equal(diag.offset, 9);
    assert_int_equal(spmm_plan_matches(plan, &same, 0, &diag), SPMM_OK);
    other = same;
    other.values = NULL; /* a pattern counts as ones, which differ */
    assert_int_equal(spmm_plan_matches(plan, &other, 1, &diag), SPMM_ERR_MISMATCH);
    other.row_ptr = NULL;
    assert_int_equal(spmm_plan_matches(plan, &other, 0, &diag), SPMM_ERR_ARGUMENT);
    other = same;
    other.rows = -1;
    assert_int_equal(spmm_plan_matches(plan, &other, 0, &diag), SPMM_ERR_CSR);
    spmm_plan_destroy(plan);
}

static void a_plan_without_values_matches_by_pattern_only(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan(1);
    spmm_csr_t view;
    spmm_csr_t same;
    assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
    memcpy(&same, &view, sizeof same);
    assert_int_equal(spmm_plan_csr(NULL, &view), SPMM_ERR_ARGUMENT);
    assert_memory_equal(&view, &same, sizeof view); /* structs are not changed */
    assert_int_equal(spmm_plan_matches(plan, &view, 0, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_matches(plan, &view, 1, NULL), SPMM_ERR_MISMATCH);
    spmm_plan_destroy(plan);
}

/* The caller's values are rounded once, to the type of the plan. */
static void values_are_compared_in_the_type_of_the_plan(void **state)
{
    (void)state;
    static const spmm_dtype_t types[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (size_t k = 0; k < 16; k++) {
        const spmm_dtype_t stored = types[k % 4], given = types[k / 4];
        const struct test_plan_options options = {stored, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
        spmm_plan_t *plan = test_plan_whole(a, options, "");
        void *values = test_values_of(a, given);
        spmm_csr_t view;
        spmm_diag_t diag;
        assert_int_equal(spmm_plan_csr(plan, &view), SPMM_OK);
        assert_int_equal(view.value_type, stored);
        view.value_type = given;
        view.values = values;
        /* These values have more bits than f16 and bf16 store. f32 and f64 store all of them. */
        const int keeps = given == stored || spmm_dtype_size(given) > 2;
        assert_int_equal(spmm_plan_matches(plan, &view, 1, &diag), keeps ? SPMM_OK : SPMM_ERR_MISMATCH);
        memset((char *)values + 7 * spmm_dtype_size(given), 0, spmm_dtype_size(given));
        assert_int_equal(spmm_plan_matches(plan, &view, 1, &diag), SPMM_ERR_MISMATCH);
        assert_true(!keeps || diag.offset == 7);
        free(values);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void zeros_of_16_bits_have_two_signs(void **state)
{
    (void)state;
    static const uint16_t values[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x7c00, 0x7fff};
    const int64_t row_ptr[] = {0, 6};
    const int32_t columns[] = {0, 1, 2, 3, 4, 5};
    spmm_matrix_stats_t stats;
    assert_int_equal(spmmi_stats_compute(1, 6, row_ptr, columns, values, SPMM_F16, &stats), SPMM_OK);
    assert_int_equal(stats.zeros, 2);
    assert_int_equal(spmmi_stats_compute(1, 6, row_ptr, columns, values, SPMM_BF16, &stats), SPMM_OK);
    assert_int_equal(stats.zeros, 2);
}

/* Returns a plan of one part. permutation: 0: rows in order, 1: rows permuted, 2: permuted with C. */
static spmm_plan_t *ordered_plan(spmm_schedule_t schedule, int permutation)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, (struct test_plan_options){SPMM_F32, schedule, 7, 0, 0}, "");
    test_matrix_free(a);
    if (permutation > 0)
        test_plan_reorder(plan, 9, permutation == 2);
    return plan;
}

static void the_permutation_of_rows_is_reported_where_c_has_it(void **state)
{
    (void)state;
    static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_WHOLE, SPMM_SCHEDULE_DENSE,
                                                SPMM_SCHEDULE_PACKED};
    const uint32_t *permutation = NULL;
    int64_t count = -1;
    spmm_part_info_t part = {.struct_size = sizeof part};
    for (int k = 0; k < 9; k++) {
        const int permutes = k % 3 == 2;
        spmm_plan_t *plan = ordered_plan(schedules[k / 3], k % 3);
        assert_int_equal(spmm_plan_part(plan, 0, &part), SPMM_OK);
        assert_int_equal(part.is_reordered, k % 3 > 0);
        assert_int_equal(part.permutes_output, permutes);
        assert_int_equal(spmm_plan_row_permutation(plan, 0, &permutation, &count),
                         permutes ? SPMM_OK : SPMM_ERR_ARGUMENT);
        assert_int_equal(count, permutes ? plan->rows : 0);
        assert_true((permutation == plan->parts[0].items) == permutes);
        assert_int_equal(spmm_plan_part_permutation(plan, 0, &permutation, &count),
                         part.is_reordered ? SPMM_OK : SPMM_ERR_ARGUMENT);
        assert_int_equal(count, part.is_reordered ? plan->rows : 0);
        assert_true((permutation == plan->parts[0].items) == (part.is_reordered != 0));
        spmm_plan_destroy(plan);
    }
}

static void segments_have_no_order_of_rows(void **state)
{
    (void)state;
    const uint32_t *order = NULL;
    int64_t count = -1;
    spmm_plan_t *plan = ordered_plan(SPMM_SCHEDULE_SEGMENTED, 1);
    spmm_part_info_t part = {.struct_size = sizeof part};
    assert_int_equal(spmm_plan_part(plan, 0, &part), SPMM_OK);
    assert_int_equal(part.is_reordered, 1);
    assert_int_equal(spmm_plan_part_permutation(plan, 0, &order, &count), SPMM_ERR_ARGUMENT);
    assert_null(order);
    assert_int_equal(count, 0);
    spmm_plan_destroy(plan);
}

static void the_row_permutation_is_asked_of_a_part(void **state)
{
    (void)state;
    const uint32_t *permutation = NULL;
    int64_t count = -1;
    spmm_plan_t *plan = ordered_plan(SPMM_SCHEDULE_WHOLE, 2);
    assert_int_equal(spmm_plan_row_permutation(plan, 1, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_row_permutation(plan, -1, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_null(permutation);
    assert_int_equal(spmm_plan_row_permutation(NULL, 0, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_row_permutation(plan, 0, NULL, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_row_permutation(plan, 0, &permutation, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_part_permutation(plan, 1, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_part_permutation(NULL, 0, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_part_permutation(plan, 0, NULL, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_part_permutation(plan, 0, &permutation, NULL), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

static void the_permutation_of_rows_and_columns_is_reported(void **state)
{
    (void)state;
    const uint32_t *permutation = NULL;
    int64_t count = -1;
    spmm_plan_t *plan = ordered_plan(SPMM_SCHEDULE_WHOLE, 0);
    assert_int_equal(spmm_plan_symmetric_permutation(plan, &permutation, &count), SPMM_OK);
    assert_null(permutation);
    assert_int_equal(count, 0);
    plan->symmetric_permutation = spmmi_alloc_zero((uint64_t)plan->rows, sizeof *plan->symmetric_permutation);
    assert_int_equal(spmm_plan_symmetric_permutation(plan, &permutation, &count), SPMM_OK);
    assert_ptr_equal(permutation, plan->symmetric_permutation);
    assert_int_equal(count, plan->rows);
    assert_int_equal(spmm_plan_symmetric_permutation(NULL, &permutation, &count), SPMM_ERR_ARGUMENT);
    assert_null(permutation);
    assert_int_equal(spmm_plan_symmetric_permutation(plan, NULL, &count), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_plan_symmetric_permutation(plan, &permutation, NULL), SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
}

static void units_of_tcblocks_are_reported(void **state)
{
    (void)state;
    static const uint32_t heights[] = {8, 64, 128, 256};
    for (size_t h = 0; h < sizeof heights / sizeof heights[0]; h++) {
        spmm_plan_t *plan = ordered_plan(SPMM_SCHEDULE_PACKED, 0);
        spmm_part_info_t part = {.struct_size = sizeof part};
        test_plan_units(plan, heights[h], SPMM_COMPUTE_TF32);
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
        assert_int_equal(spmm_plan_part(plan, 0, &part), SPMM_OK);
        assert_int_equal(part.family, h == 0 ? SPMM_FAMILY_WINDOW : SPMM_FAMILY_PANEL);
        assert_int_equal(part.schedule, SPMM_SCHEDULE_PACKED);
        assert_int_equal(part.item_size, 7);
        assert_int_equal(part.items, plan->rows);
        assert_int_equal(part.block_rows, heights[h]);
        assert_int_equal(part.stage_slots, 0);
        spmm_plan_destroy(plan);
    }
}

static void groups_of_blocks_are_reported(void **state)
{
    (void)state;
    for (uint32_t rows = 32; rows <= 256; rows *= 2) {
        spmm_plan_t *plan = ordered_plan(SPMM_SCHEDULE_DENSE, 0);
        spmm_part_info_t part = {.struct_size = sizeof part};
        test_plan_groups(plan, rows, SPMM_COMPUTE_3XTF32);
        assert_int_equal(spmmi_plan_check(plan, NULL),
                         rows == 64 || rows == 128 ? SPMM_OK : SPMM_ERR_PLAN_PART);
        assert_int_equal(spmm_plan_part(plan, 0, &part), SPMM_OK);
        assert_int_equal(part.family, SPMM_FAMILY_BCSR);
        assert_int_equal(part.items, plan->rows);
        assert_int_equal(part.block_rows, rows);
        plan->parts[0].schedule = SPMM_SCHEDULE_PACKED;
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_ERR_PLAN_PART);
        spmm_plan_destroy(plan);
    }
}

static void a_compute_type_fits_values_and_kernels(void **state)
{
    (void)state;
    static const spmm_schedule_t schedules[] = {SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_WHOLE,
                                                SPMM_SCHEDULE_DENSE, SPMM_SCHEDULE_PACKED,
                                                SPMM_SCHEDULE_DENSE};
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int k = 0; k < 20; k++) {
        const struct test_plan_options options = {(spmm_dtype_t)(k / 5 + 1), schedules[k % 5], 16, 0, 0};
        spmm_plan_t *plan = test_plan_whole(a, options, "");
        if (k % 5 == 4)
            test_plan_groups(plan, 64, plan->variants[0].compute);
        plan->trace_count = 0;
        for (int compute = 0; compute <= SPMM_COMPUTE_3XTF32 + 1; compute++) {
            const struct spmmi_family *family = spmmi_family_of(plan->parts[0].family);
            const int fits = test_plan_may_compute(options.dtype, family, compute);
            plan->variants[0].compute = (spmm_compute_t)compute;
            assert_int_equal(spmmi_plan_check(plan, NULL), fits ? SPMM_OK : SPMM_ERR_PLAN_VARIANT);
        }
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void the_trace_has_compute_types_and_reasons(void **state)
{
    (void)state;
    static const struct {
        struct spmmi_trace entry;
        spmm_compute_t compute;
        const char *reason;
    } cases[] = {
        {{.family = SPMM_FAMILY_ROWS, .schedule = SPMM_SCHEDULE_ROW_SPLIT, .reason = SPMMI_REASON_PREDICTED},
         SPMM_COMPUTE_F32,
         "predicted 1.25 us, the winner 3.00 us"},
        {{.family = SPMM_FAMILY_WINDOW,
          .schedule = SPMM_SCHEDULE_DENSE,
          .reason = SPMMI_REASON_DENSITY,
          .compute = SPMM_COMPUTE_3XTF32},
         SPMM_COMPUTE_3XTF32,
         "1.25 nonzeros per block of 8 x 8; below 3.00 tensor cores are slower"},
        {{.family = SPMM_FAMILY_PANEL,
          .schedule = SPMM_SCHEDULE_PACKED,
          .reason = SPMMI_REASON_BLOCKS,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "1 blocks after permuting, 3 before"},
        {{.family = SPMM_FAMILY_PANEL,
          .schedule = SPMM_SCHEDULE_DENSE,
          .reason = SPMMI_REASON_MARGIN,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "predicted 1.25 us, it would have been chosen below 3.00 us: its risk, a factor on predictions, is "
         "higher"},
        {{.family = SPMM_FAMILY_WINDOW,
          .schedule = SPMM_SCHEDULE_PACKED,
          .reason = SPMMI_REASON_BLOCKS,
          .compute = SPMM_COMPUTE_TF32,
          .permutation = SPMM_REORDER_RCM},
         SPMM_COMPUTE_TF32,
         "1 blocks after rcm, 3 before"},
        {{.family = SPMM_FAMILY_WINDOW,
          .schedule = SPMM_SCHEDULE_PACKED,
          .chosen = 1,
          .reason = SPMMI_REASON_LONG_ROWS,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "3 nonzeros of 1 long rows are computed by a separate kernel"},
        {{.family = SPMM_FAMILY_WINDOW,
          .schedule = SPMM_SCHEDULE_PACKED,
          .reason = SPMMI_REASON_LONG_ROWS,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "3 nonzeros of 1 long rows are not computed by a separate kernel"},
        {{.family = SPMM_FAMILY_WINDOW,
          .schedule = SPMM_SCHEDULE_PACKED,
          .reason = SPMMI_REASON_LONG_ROWS_BLOCKS,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "1 blocks without the long rows, 3 with them"},
        {{.family = SPMM_FAMILY_BCSR,
          .schedule = SPMM_SCHEDULE_DENSE,
          .reason = SPMMI_REASON_PREDICTED,
          .compute = SPMM_COMPUTE_TF32},
         SPMM_COMPUTE_TF32,
         "predicted 1.25 us, the winner 3.00 us"},
    };
    spmm_plan_t *plan = make_plan(0);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        spmm_trace_info_t info = {.struct_size = sizeof info};
        plan->trace[0] = cases[c].entry;
        plan->trace[0].value = 1.25;
        plan->trace[0].threshold = 3;
        assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
        assert_int_equal(spmm_plan_trace(plan, 0, &info), SPMM_OK);
        assert_int_equal(info.family, cases[c].entry.family);
        assert_int_equal(info.compute, cases[c].compute);
        assert_int_equal(info.reorder, cases[c].entry.permutation);
        assert_string_equal(info.reason, cases[c].reason);
    }
    spmm_plan_destroy(plan);
}

/* Reasons of later versions, or of a plan that was not checked, and a reason that a search seldom gives. */
static void reasons_without_a_text(void **state)
{
    (void)state;
    static const uint32_t reasons[] = {0, 200, UINT32_MAX};
    spmm_plan_t *plan = make_plan(0);
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        spmm_trace_info_t info = {.struct_size = sizeof info};
        plan->trace[0].reason = reasons[i];
        assert_int_equal(spmm_plan_trace(plan, 0, &info), SPMM_OK);
        assert_string_equal(info.reason, "no reason given");
    }
    spmm_trace_info_t info = {.struct_size = sizeof info};
    plan->trace[0].reason = SPMMI_REASON_IMBALANCE;
    plan->trace[0].value = 9;
    plan->trace[0].threshold = 3;
    assert_int_equal(spmm_plan_trace(plan, 0, &info), SPMM_OK);
    assert_string_equal(info.reason, "the longest row holds 9 nonzeros, the row-split limit is 3");
    spmm_plan_destroy(plan);
}

static void a_part_of_long_rows_is_marked(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_DENSE, 7, 0, 0};
    spmm_plan_t *plan = test_plan_whole(a, options, "");
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    spmm_part_info_t part = {.struct_size = sizeof part};
    assert_int_equal(test_plan_split_long_rows(plan, 8), 1);
    assert_int_equal(spmmi_plan_check(plan, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_variant(plan, 0, &variant), SPMM_OK);
    assert_int_equal(variant.part_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(spmm_plan_part(plan, i, &part), SPMM_OK);
        assert_int_equal(part.is_long_rows, i);
        assert_int_equal(part.family, i == 0 ? SPMM_FAMILY_WINDOW : SPMM_FAMILY_ROWS);
        assert_int_equal(part.items, plan->parts[i].item_count);
    }
    assert_int_equal(plan->parts[0].item_count + plan->parts[1].item_count, plan->rows);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Columns are sorted instead of counted, because a counter per column would need 8 GB. */
static void statistics_of_two_thousand_million_columns(void **state)
{
    (void)state;
    const int64_t row_ptr[] = {0, 3, 3, 5, 6};
    const int32_t columns[] = {0, 7, 2147483645, 7, 2147483644, 7};
    spmm_matrix_stats_t stats;
    assert_int_equal(spmmi_stats_compute(4, SPMMI_DIM_MAX, row_ptr, columns, NULL, SPMM_F32, &stats),
                     SPMM_OK);
    assert_int_equal(stats.col_max, 3);
    assert_int_equal(stats.cols_empty, SPMMI_DIM_MAX - 4);
    assert_int_equal(stats.band_upper, 2147483645);
    assert_int_equal(stats.band_lower, 0);
    assert_int_equal(stats.diagonal, 1);
    assert_int_equal(stats.rows_empty, 1);
    assert_true(stats.row_mean == 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_same_matrix_matches),
        cmocka_unit_test(a_plan_without_values_matches_by_pattern_only),
        cmocka_unit_test(values_are_compared_in_the_type_of_the_plan),
        cmocka_unit_test(zeros_of_16_bits_have_two_signs),
        cmocka_unit_test(the_permutation_of_rows_is_reported_where_c_has_it),
        cmocka_unit_test(segments_have_no_order_of_rows),
        cmocka_unit_test(the_row_permutation_is_asked_of_a_part),
        cmocka_unit_test(the_permutation_of_rows_and_columns_is_reported),
        cmocka_unit_test(units_of_tcblocks_are_reported),
        cmocka_unit_test(groups_of_blocks_are_reported),
        cmocka_unit_test(a_compute_type_fits_values_and_kernels),
        cmocka_unit_test(the_trace_has_compute_types_and_reasons),
        cmocka_unit_test(reasons_without_a_text),
        cmocka_unit_test(a_part_of_long_rows_is_marked),
        cmocka_unit_test(statistics_of_two_thousand_million_columns),
    };
    return cmocka_run_group_tests_name("plan_query", tests, NULL, NULL);
}
