/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the CPU against the reference: every named matrix, width, type, layout, alpha and beta. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/plan_build.h"
#include "tests/support/products.h"

static const int64_t widths[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 100, 128, 130};
#define WIDTH_COUNT (sizeof widths / sizeof widths[0])

static const struct {
    double alpha, beta;
} factors[] = {{1, 0}, {1, 1}, {-0.5, 0}, {2, -0.5}, {0, 0}, {0, 1}, {0, 2}};
#define FACTOR_COUNT (sizeof factors / sizeof factors[0])

static spmm_executor_t *executor_make(const struct test_matrix *a, struct test_plan_options options,
                                      const char *force_kernel)
{
    spmm_plan_t *plan = test_plan_build(a, options);
    spmm_executor_options_t executor_options = SPMM_EXECUTOR_OPTIONS_INIT;
    executor_options.threads = 2;
    executor_options.force_kernel = force_kernel;
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    if (spmm_executor_create(plan, SPMM_DEVICE_CPU, &executor_options, &executor, &diag) != SPMM_OK)
        fail_msg("%s: %s", a->name, diag.text);
    spmm_plan_destroy(plan);
    return executor;
}

/* Checks products of every width. Every second pair of layouts is used per width; gaps, shifts and factors
 * rotate. Over the values of `turn` that the parts begin with, all combinations occur. */
static void widths_and_layouts(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                               spmm_op_t op, enum test_values values, int turn)
{
    for (size_t w = 0; w < WIDTH_COUNT; w++)
        for (int layouts = turn & 1; layouts < 4; layouts += 2, turn += 3) {
            const int64_t gap = turn % 3 == 0 ? 0 : turn % 5;
            const struct test_product product = {op,
                                                 widths[w],
                                                 (spmm_layout_t)(layouts & 1),
                                                 (spmm_layout_t)(layouts >> 1),
                                                 gap,
                                                 (gap * 2) % 5,
                                                 turn % 4,
                                                 factors[(size_t)turn % FACTOR_COUNT].alpha,
                                                 factors[(size_t)turn % FACTOR_COUNT].beta,
                                                 values};
            test_product_check(executor, a, dtype, &product);
        }
}

static const struct test_plan_options part_options[] = {
    {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0},     {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 256, 1, 0},
    {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0}, {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 4096, 1, 0},
    {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 1, 0}, {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 2048, 1, 0},
};
#define PART_COUNT (sizeof part_options / sizeof part_options[0])

static void every_matrix(enum test_values values, size_t part_step)
{
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, values);
        for (size_t o = 0; o < PART_COUNT; o += part_step) {
            spmm_executor_t *executor = executor_make(a, part_options[o], NULL);
            const spmm_op_t op = (spmm_op_t)((size_t)(i + (int)o) % 2);
            widths_and_layouts(executor, a, part_options[o].dtype, op, values, i + (int)o);
            spmm_executor_destroy(executor);
        }
        test_matrix_free(a);
    }
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL, 1);
}

static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER, 3);
}

static void every_pair_of_factors_meets_the_bound(void **state)
{
    (void)state;
    const double alphas[] = {1, 0, -0.5, 3};
    const double betas[] = {0, 1, -0.5, 3};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (size_t o = 0; o < PART_COUNT; o++) {
        spmm_executor_t *executor = executor_make(a, part_options[o], NULL);
        for (int turn = 0; turn < 4 * 4 * 4; turn++) {
            const struct test_product product = {SPMM_OP_N,
                                                 19,
                                                 (spmm_layout_t)(turn & 1),
                                                 (spmm_layout_t)(turn >> 1 & 1),
                                                 1,
                                                 2,
                                                 0,
                                                 alphas[turn >> 2 & 3],
                                                 betas[turn >> 4],
                                                 TEST_VALUES_REAL};
            test_product_check(executor, a, part_options[o].dtype, &product);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

static void forced_kernels_run_and_say_so(void **state)
{
    (void)state;
    const char *names[] = {"cpu/rows/row-split", "cpu/rows/nonzero-split"};
    for (int i = 0; i < test_matrix_count(); i++)
        for (int f = 0; f < 4; f++) {
            struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
            spmm_executor_t *executor = executor_make(a, part_options[f], names[f & 1]);
            for (int op = 0; op < 2; op++) {
                const struct test_product product = {
                    (spmm_op_t)op, 6, SPMM_ROW_MAJOR, SPMM_COL_MAJOR, 0, 1, 0, 1, 0, TEST_VALUES_REAL};
                test_product_check(executor, a, part_options[f].dtype, &product);
                struct test_dense b = test_product_b(a, part_options[f].dtype, &product);
                struct test_dense c = test_product_c(a, part_options[f].dtype, &product);
                spmm_executor_info_t info = {.struct_size = sizeof info};
                assert_int_equal(spmm_executor_info(executor, product.op, &b.view, &c.view, &info, NULL),
                                 SPMM_OK);
                assert_string_equal(info.kernel, names[f & 1]);
                test_dense_free(&b);
                test_dense_free(&c);
            }
            spmm_executor_destroy(executor);
            test_matrix_free(a);
        }
}

static void no_columns_do_nothing(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_executor_t *executor = executor_make(a, part_options[0], NULL);
    const struct test_product product = {SPMM_OP_N, 0, SPMM_ROW_MAJOR,  SPMM_ROW_MAJOR, 3, 3, 0,
                                         1,         0, TEST_VALUES_REAL};
    test_product_check(executor, a, SPMM_F32, &product);
    spmm_executor_destroy(executor);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(every_pair_of_factors_meets_the_bound),
        cmocka_unit_test(forced_kernels_run_and_say_so),
        cmocka_unit_test(no_columns_do_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
