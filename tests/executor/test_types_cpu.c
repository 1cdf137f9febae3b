/* SPDX-License-Identifier: Apache-2.0 */
/* Every combination of value types on the CPU, including those in which B or C differ from A, and products
 * with a pattern: the error bound, the part that runs them, and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/edges.h"
#include "tests/support/kernel_plans.h"
#include "tests/support/laws.h"
#include "tests/support/type_walk.h"

#define NUMBERS 5 /* products per plan */

static const struct {
    spmm_schedule_t schedule;
    uint32_t item_size;
} shapes[] = {
    {SPMM_SCHEDULE_ROW_SPLIT, 16}, {SPMM_SCHEDULE_NONZERO_SPLIT, 64}, {SPMM_SCHEDULE_NONZERO_SPLIT, 4096}};
#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

/* Checks products with widths of one and of several vectors, of one and of two panels, and with
 * remainders. */
static void products_check(const struct test_matrix *a, const spmm_types_info_t *types, int shape, int turn,
                           enum test_values values)
{
    static const int64_t widths[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,
                                     17, 31, 32, 33, 40, 64, 65, 130, 257, 1030};
    const struct test_plan_options options = {types->a_type, shapes[shape].schedule, shapes[shape].item_size,
                                              1, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    turn = NUMBERS * turn + (values == TEST_VALUES_REAL ? 0 : 7);
    for (int i = 0; i < NUMBERS; i++, turn++) {
        const int64_t n = widths[turn % (a->nnz > 5000 ? 14 : (int)(sizeof widths / sizeof widths[0]))];
        const struct test_product product = test_product_of_turn((spmm_op_t)(turn / 3 % 2), n, turn, values);
        test_product_check_types(executor, a, types, &product);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void all_types_are_within_their_bound(void **state)
{
    (void)state;
    test_types_of_every_matrix(TEST_VALUES_REAL, SHAPE_COUNT, products_check);
}

static void integers_are_exact_in_all_types(void **state)
{
    (void)state;
    test_types_of_every_matrix(TEST_VALUES_INTEGER, SHAPE_COUNT, products_check);
}

static struct test_dense product_with(const spmm_plan_t *plan, const struct test_matrix *a,
                                      const spmm_types_info_t *types, const struct test_product *product,
                                      int threads)
{
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, threads, NULL);
    struct test_dense b = test_product_b(a, types->b_type, product);
    struct test_dense c = test_product_c(a, types->c_type, product);
    test_product_run(executor, product, &b, &c);
    test_product_check_types(executor, a, types, product);
    test_dense_free(&b);
    spmm_executor_destroy(executor);
    return c;
}

/* The plan and the shape define the order of every sum. This includes rows that several chunks share, whose
 * sum is rounded once. */
static void shared_rows_have_the_same_bits_with_any_threads(void **state)
{
    (void)state;
    static const char *const names[] = {"1 x 9000 dense", "2 x 6000 short-fat", "dense row among sparse"};
    spmm_types_info_t types;
    for (int turn = 0; test_types_at(turn / 12, &types); turn++) {
        struct test_matrix *a = test_matrix_named(names[turn % 3], TEST_VALUES_REAL);
        const struct test_plan_options options = {types.a_type, SPMM_SCHEDULE_NONZERO_SPLIT, 4, 0, 0};
        spmm_plan_t *plan = test_plan_build(a, options);
        const struct test_product product = {SPMM_OP_N,
                                             1 + 13 * (turn % 4),
                                             (spmm_layout_t)(turn & 1),
                                             (spmm_layout_t)(turn >> 1 & 1),
                                             0,
                                             0,
                                             0,
                                             1.5,
                                             3,
                                             TEST_VALUES_REAL};
        struct test_dense one = product_with(plan, a, &types, &product, 1);
        struct test_dense many = product_with(plan, a, &types, &product, 3);
        assert_memory_equal(one.block, many.block, one.block_bytes);
        test_dense_free(&one);
        test_dense_free(&many);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void kernel_of(const spmm_executor_t *executor, const struct test_dense *b, const struct test_dense *c,
                      spmm_status_t status, spmm_executor_info_t *info, spmm_diag_t *diag)
{
    *info = (spmm_executor_info_t){.struct_size = sizeof *info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b->view, &c->view, info, diag), status);
}

/* The plan has a part of tiled for n from 2, and a part of rows for n = 1. */
static void a_part_that_takes_the_types_stands_in(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0});
    test_plan_join(
        plan, test_plan_build(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}));
    for (uint32_t i = 0; i < 2; i++) {
        plan->variants[i].target = 1;
        plan->variants[i].n_min = i == 0 ? 2 : 1;
        plan->variants[i].n_max = i == 0 ? 1000 : 1;
    }
    const struct test_product product = test_product_of_turn(SPMM_OP_N, 12, 0, TEST_VALUES_REAL);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    struct test_dense b = test_product_b(a, SPMM_F32, &product), c = test_product_c(a, SPMM_F32, &product);
    spmm_executor_info_t info;
    kernel_of(executor, &b, &c, SPMM_OK, &info, NULL);
    assert_string_equal(info.kernel, "cpu/tiled/whole/p32");
    test_dense_free(&b);
    test_dense_free(&c);
    b = test_product_b(a, SPMM_F16, &product);
    c = test_product_c(a, SPMM_F16, &product);
    kernel_of(executor, &b, &c, SPMM_OK, &info, NULL);
    assert_string_equal(info.kernel, "cpu/rows/row-split");
    const spmm_types_info_t types = {.a_type = SPMM_F32, .b_type = SPMM_F16, .c_type = SPMM_F16};
    test_product_check_types(executor, a, &types, &product);
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void refused(const struct test_matrix *a, spmm_schedule_t schedule, spmm_dtype_t c_type,
                    spmm_status_t status, const char *sentence)
{
    const struct test_plan_options options = {SPMM_F32, schedule, 16, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    const struct test_product product = test_product_of_turn(SPMM_OP_N, 12, 0, TEST_VALUES_REAL);
    struct test_dense b = test_product_b(a, SPMM_F16, &product), c = test_product_c(a, c_type, &product);
    spmm_executor_info_t info;
    spmm_diag_t diag;
    kernel_of(executor, &b, &c, status, &info, &diag);
    assert_string_equal(diag.text, sentence);
    test_dense_free(&b);
    test_dense_free(&c);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void other_types_are_refused_with_those_that_there_are(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    refused(a, SPMM_SCHEDULE_ROW_SPLIT, SPMM_F32, SPMM_ERR_TYPE,
            "the values of A are f32, so B and C are of types f32 f32, f16 f16, bf16 bf16; found B f16 and C "
            "f32, which need values of A of f16: inspect for these");
    refused(a, SPMM_SCHEDULE_WHOLE, SPMM_F16, SPMM_ERR_NO_VARIANT,
            "no part of the plan for op N multiplies A f32, B f16, C f16: inspect for these types");
    test_matrix_free(a);
}

static spmm_executor_t *executor_of_pattern(const spmm_plan_t *plan, const char *kernel)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.threads = 2;
    options.unit_values = 1;
    options.force_kernel = kernel;
    spmm_executor_t *executor = NULL;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
    return executor;
}

/* Checks that a plan with other values, or without values, gives the bits of values of 1. Destroys the
 * plan. */
static void pattern_has_the_bits_of_ones(const struct test_matrix *a, spmm_plan_t *plan, int turn)
{
    struct test_matrix ones = *a;
    const struct test_product product =
        test_product_of_turn(SPMM_OP_N, 1 + turn % 40, turn, TEST_VALUES_REAL);
    spmm_executor_t *of_pattern = executor_of_pattern(plan, NULL);
    spmm_executor_t *of_ones = test_executor_make(plan, SPMM_DEVICE_CPU, 2, NULL);
    ones.values = malloc((size_t)a->nnz * sizeof *ones.values + 1);
    assert_non_null(ones.values);
    for (int64_t p = 0; p < a->nnz; p++)
        ones.values[p] = 1;
    void *values = test_values_of(&ones, plan->dtype);
    assert_int_equal(spmm_executor_set_values(of_pattern, values, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(spmm_executor_set_values(of_ones, values, NULL, NULL), SPMM_OK);
    struct test_dense b = test_product_b(a, plan->dtype, &product);
    struct test_dense c = test_product_c(a, plan->dtype, &product), d = test_dense_copy(&c);
    test_product_run(of_pattern, &product, &b, &c);
    test_product_run(of_ones, &product, &b, &d);
    assert_memory_equal(c.block, d.block, c.block_bytes);
    test_product_check(of_pattern, &ones, plan->dtype, &product);
    test_dense_free(&b);
    test_dense_free(&c);
    test_dense_free(&d);
    free(values);
    free(ones.values);
    spmm_executor_destroy(of_ones);
    spmm_executor_destroy(of_pattern);
    spmm_plan_destroy(plan);
}

static void patterns_of_all_kernels_have_the_bits_of_ones(void **state)
{
    (void)state;
    static spmm_kernel_info_t kernels[TEST_KERNELS_MAX];
    const int count = test_kernels_of("cpu", kernels);
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int k = 0; k < count; k++)
        for (int dtype = SPMM_F32; dtype <= SPMM_BF16; dtype++)
            if (test_kernel_takes(&kernels[k], (spmm_dtype_t)dtype))
                pattern_has_the_bits_of_ones(
                    a, test_kernel_plan(&kernels[k], a, (spmm_dtype_t)dtype, 3 * k + dtype), 5 * k + dtype);
    test_matrix_free(a);
}

static void plans_without_values_multiply_as_patterns(void **state)
{
    (void)state;
    for (int e = 0; e < TEST_EDGES; e++) {
        struct test_matrix *a = test_edge_make(e, TEST_VALUES_REAL);
        const struct test_plan_options options = {(spmm_dtype_t)(SPMM_F32 + e % 4),
                                                  SPMM_SCHEDULE_NONZERO_SPLIT, 16, 0, 1};
        if (a->cols > 0)
            pattern_has_the_bits_of_ones(a, test_plan_build(a, options), e);
        test_matrix_free(a);
    }
}

static void unit_values_is_a_flag_and_counted(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_build(a, (struct test_plan_options){SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 1});
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    uint64_t plain = 0, more = 0;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &plain, NULL, NULL),
                     SPMM_OK);
    options.unit_values = 1;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &more, NULL, NULL), SPMM_OK);
    assert_true(more == plain + 2 * (uint64_t)a->nnz);
    for (options.unit_values = 0; options.unit_values < 2; options.unit_values++) {
        spmm_executor_info_t info = {.struct_size = sizeof info};
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, NULL, NULL, &info, NULL), SPMM_OK);
        assert_int_equal(info.csr_bytes, 4 * (a->rows + 1) + (options.unit_values ? 4 : 6) * a->nnz);
        assert_int_equal(info.peak_device_bytes + info.pool_bytes, 0);
        spmm_executor_destroy(executor);
    }
    options.unit_values = 2;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL),
                     SPMM_ERR_ARGUMENT);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types_are_within_their_bound),
        cmocka_unit_test(integers_are_exact_in_all_types),
        cmocka_unit_test(shared_rows_have_the_same_bits_with_any_threads),
        cmocka_unit_test(a_part_that_takes_the_types_stands_in),
        cmocka_unit_test(other_types_are_refused_with_those_that_there_are),
        cmocka_unit_test(patterns_of_all_kernels_have_the_bits_of_ones),
        cmocka_unit_test(plans_without_values_multiply_as_patterns),
        cmocka_unit_test(unit_values_is_a_flag_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
