/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of two parts on the CPU: a part of row windows, row blocks or block-row groups, and the part of
 * long rows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tcblock/tcblock_host_cpu.h"
#include "format/base/alloc.h"
#include "tests/support/tcblock_kind_of.h"
#include "tests/support/plan_build.h"
#include "tests/support/laws.h"
#include "tests/support/scorecard.h"

struct shape {
    spmm_family_t family;
    spmm_schedule_t schedule;
    uint32_t unit_rows, item_size;
    int is_reordered;
    spmm_compute_t compute;
};

static const struct shape shapes[] = {
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, SPMMI_STEPS_MAX, 0, SPMM_COMPUTE_3XTF32},
    {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 2, 1, SPMM_COMPUTE_F64},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 1, 1, SPMM_COMPUTE_TF32},
    {SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 3, 0, SPMM_COMPUTE_F64},
    {SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 2, 1, SPMM_COMPUTE_3XTF32},
};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

static spmm_dtype_t type_of(const struct shape *shape)
{
    return shape->compute == SPMM_COMPUTE_F64 ? SPMM_F64 : SPMM_F32;
}

/* *long_rows: number of parts with long rows. */
static spmm_plan_t *plan_of(const struct test_matrix *a, const struct shape *shape, uint32_t *long_rows)
{
    const struct test_plan_options options = {type_of(shape), shape->schedule, shape->item_size, 1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    (shape->family == SPMM_FAMILY_BCSR ? test_plan_groups : test_plan_units)(plan, shape->unit_rows,
                                                                             shape->compute);
    if (shape->is_reordered)
        test_plan_reorder(plan, 5, 0);
    *long_rows = test_plan_split_long_rows(plan, test_long_rows_min(a));
    return plan;
}

static void every_matrix_layout_and_factor_meets_the_bound(void **state)
{
    (void)state;
    uint32_t long_rows_parts = 0;
    int turn = 0;
    for (int i = 0; i < test_matrix_count(); i++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            const enum test_values values = s % 2 == 0 ? TEST_VALUES_REAL : TEST_VALUES_INTEGER;
            struct test_matrix *a = test_matrix_make(i, values);
            uint32_t long_rows = 0;
            spmm_plan_t *plan = plan_of(a, &shapes[s], &long_rows);
            spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
            for (int k = 0; k < 2; k++, turn += 5) {
                const struct test_product product =
                    test_product_of_turn((spmm_op_t)(k % 2), 1 + (turn * 7) % 50, turn, values);
                test_product_check(executor, a, plan->dtype, &product);
            }
            long_rows_parts += long_rows;
            spmm_executor_destroy(executor);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
    assert_true(long_rows_parts >=
                60); /* of 27 matrices x 5 shapes x 2 ops: in many all rows have the same length */
}

static void every_pair_of_factors_and_layouts_meets_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        uint32_t long_rows = 0;
        spmm_plan_t *plan = plan_of(a, &shapes[s], &long_rows);
        assert_true(long_rows > 0);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
        for (int turn = 0; turn < TEST_TURNS; turn++) {
            const struct test_product product =
                test_product_of_turn(SPMM_OP_N, 1 + turn, turn, TEST_VALUES_REAL);
            test_product_check(executor, a, plan->dtype, &product);
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void same_bits_at_any_number_of_threads_and_every_time(void **state)
{
    (void)state;
    static const char *const names[] = {"dense row among sparse", "power law", "arrow"};
    for (size_t m = 0; m < sizeof names / sizeof names[0]; m++)
        for (int s = 0; s < SHAPE_COUNT; s++) {
            uint32_t long_rows = 0;
            struct test_matrix *a = test_matrix_named(names[m], TEST_VALUES_REAL);
            spmm_plan_t *plan = plan_of(a, &shapes[s], &long_rows);
            assert_true(long_rows > 0);
            const struct test_product product = test_product_of_turn(SPMM_OP_N, 67, 12 + s, TEST_VALUES_REAL);
            test_law_threads(a, plan, &product);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    for (int s = 0; s < SHAPE_COUNT; s++) {
        uint32_t long_rows = 0;
        spmm_plan_t *plan = plan_of(a, &shapes[s], &long_rows);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
        for (int64_t j = 0; j < a->cols; j += 7) {
            const struct test_product product = {.n = 5, .alpha = 1, .values = TEST_VALUES_REAL};
            struct test_dense b = test_product_b(a, plan->dtype, &product);
            struct test_dense c = test_product_c(a, plan->dtype, &product);
            for (int64_t q = 0; q < product.n; q++)
                test_dense_set(&b, j, q, (double)INFINITY);
            test_product_run(executor, &product, &b, &c);
            test_product_check_canary(a, j, &c);
            test_dense_free(&b);
            test_dense_free(&c);
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void new_values_reach_both_parts(void **state)
{
    (void)state;
    static const char *const names[] = {"dense row among sparse", "power law", "arrow", "rows of 0 to 8"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]) * SHAPE_COUNT; i++) {
        uint32_t long_rows = 0;
        struct test_matrix *a = test_matrix_named(names[i / SHAPE_COUNT], TEST_VALUES_INTEGER);
        spmm_plan_t *plan = plan_of(a, &shapes[i % SHAPE_COUNT], &long_rows);
        assert_true(long_rows > 0);
        const struct test_product product = test_product_of_turn(SPMM_OP_N, 7, i, TEST_VALUES_INTEGER);
        test_law_new_values(a, plan, &product);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void memory_report_before_equals_the_one_after(void **state)
{
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        uint32_t long_rows = 0;
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        spmm_plan_t *plan = plan_of(a, &shapes[i % SHAPE_COUNT], &long_rows);
        test_law_memory_report(plan, NULL);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void memory_that_runs_out_anywhere_leaves_nothing_behind(void **state)
{
    (void)state;
    uint32_t long_rows = 0;
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, &shapes[1], &long_rows);
    const int64_t live = spmmi_alloc_live();
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    int64_t fails = 0;
    spmm_status_t status = SPMM_ERR_MEMORY;
    for (; status == SPMM_ERR_MEMORY; fails++) {
        spmm_executor_t *executor = NULL;
        spmmi_alloc_fail_at(fails, 0);
        status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL);
        spmmi_alloc_fail_at(-1, 0);
        spmm_executor_destroy(executor);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    assert_int_equal(status, SPMM_OK);
    assert_true(fails > 20);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void runs(const spmm_plan_t *plan, const struct test_matrix *a, const char *forced, const char *kernel)
{
    const struct test_product product = {.n = 6, .alpha = 1, .values = TEST_VALUES_REAL};
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, forced);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const spmm_dense_t b = {NULL, a->cols, 6, 6, SPMM_ROW_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, a->rows, 6, 6, SPMM_ROW_MAJOR, plan->dtype};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, kernel);
    test_product_check(executor, a, plan->dtype, &product);
    spmm_executor_destroy(executor);
}

/* The plan has a part of long rows at index 1, and at its end a plain part of the rows family with its own
 * variant. */
static void long_rows_are_never_taken_for_all_rows(void **state)
{
    (void)state;
    uint32_t long_rows = 0;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of(a, &shapes[0], &long_rows);
    assert_true(plan->parts[1].flags == SPMMI_PART_LONG_ROWS);
    runs(plan, a, NULL, "cpu/window/dense/peeled/3xtf32");
    runs(plan, a, "cpu/window/dense", "cpu/window/dense/peeled/3xtf32");
    runs(plan, a, "cpu/rows/nonzero-split", "cpu/rows/nonzero-split");
    runs(plan, a, "cpu/rows/row-split", "cpu/rows/row-split");
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 0, 0};
    spmm_plan_t *plain = test_plan_build(a, options);
    plan->parts[plan->part_count] = plain->parts[0];
    plan->variants[plan->variant_count] = plain->variants[0];
    plan->variants[plan->variant_count++].part_first = plan->part_count++;
    plain->part_count = 0;
    runs(plan, a, NULL, "cpu/rows/nonzero-split");
    runs(plan, a, "cpu/window/dense", "cpu/window/dense/peeled/3xtf32");
    spmm_plan_destroy(plain);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Units hold the other rows in their order. Values of long rows have no place in their layout. */
static void the_layout_is_that_of_the_rows_that_are_left(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPE_COUNT; s++) {
        uint32_t long_rows = 0;
        struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
        spmm_plan_t *plan = plan_of(a, &shapes[s], &long_rows);
        struct spmmi_cpu_tcblocks held;
        assert_int_equal(spmmi_cpu_tcblocks_make(test_tcblock_kind_of(&plan->parts[0]), plan, &plan->parts[0],
                                                 spmmi_long_rows_of(plan, 0), &held, NULL),
                         SPMM_OK);
        const struct spmmi_part *part = &plan->parts[0];
        const struct spmmi_long_rows *rows = &held.long_rows.a;
        const uint32_t positions = held.layout.view.unit_count * shapes[s].unit_rows;
        assert_true(part->item_count < (uint64_t)a->rows && part->item_count <= positions);
        for (uint32_t i = 0; i < positions; i++)
            assert_int_equal(held.layout.row_of[i],
                             i < part->item_count ? part->items[i] : SPMMI_TCBLOCK_NONE);
        assert_int_equal(rows->rows, plan->parts[1].item_count);
        for (int64_t i = 0; i < rows->rows; i++) {
            const uint32_t row = plan->parts[1].items[i];
            assert_int_equal(rows->row_of[i], row);
            assert_int_equal(rows->row_ptr[i + 1] - rows->row_ptr[i], a->row_ptr[row + 1] - a->row_ptr[row]);
            for (int64_t q = a->row_ptr[row]; q < a->row_ptr[row + 1]; q++) {
                const int64_t at = rows->row_ptr[i] + q - a->row_ptr[row];
                assert_int_equal(rows->map[at], q);
                assert_int_equal(rows->col_ind[at], a->col_ind[q]);
                assert_int_equal(rows->row_of[rows->part.items[at / rows->part.item_size]] <= row, 1);
            }
        }
        int64_t without = 0;
        for (int64_t q = 0; q < a->nnz; q++)
            without += held.layout.value_map[q] == SPMMI_TCBLOCK_NONE;
        assert_int_equal(without, rows->nnz);
        spmmi_cpu_tcblocks_free(&held);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_layout_and_factor_meets_the_bound),
        cmocka_unit_test(every_pair_of_factors_and_layouts_meets_the_bound),
        cmocka_unit_test(same_bits_at_any_number_of_threads_and_every_time),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(new_values_reach_both_parts),
        cmocka_unit_test(memory_report_before_equals_the_one_after),
        cmocka_unit_test(memory_that_runs_out_anywhere_leaves_nothing_behind),
        cmocka_unit_test(long_rows_are_never_taken_for_all_rows),
        cmocka_unit_test(the_layout_is_that_of_the_rows_that_are_left),
    };
    return test_score_allocations(cmocka_run_group_tests(tests, NULL, NULL));
}
