/* SPDX-License-Identifier: Apache-2.0 */
/* Laws that hold for every product: same bits in each run, correct NaN, linearity, new values, shared
 * plans. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "tests/support/plan_build.h"
#include "tests/support/laws.h"

static const struct test_plan_options plans[] = {
    {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0},   {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 1, 0},
    {SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 4096, 1, 0}, {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 4096, 1, 0},
    {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 64, 1, 0},   {SPMM_BF16, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0},
};
#define PLAN_COUNT (sizeof plans / sizeof plans[0])

static spmm_executor_t *executor_with(const spmm_plan_t *plan, int threads)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.threads = threads;
    spmm_executor_t *executor = NULL;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
    return executor;
}

#define FAMILY_TURNS 8 /* both splits of rows, and all other families */

static spmm_plan_t *plan_of_family(const struct test_matrix *a, int turn)
{
    static const spmm_schedule_t schedules[] = {
        SPMM_SCHEDULE_ROW_SPLIT, SPMM_SCHEDULE_NONZERO_SPLIT, SPMM_SCHEDULE_WHOLE, SPMM_SCHEDULE_SEGMENTED,
        SPMM_SCHEDULE_DENSE,     SPMM_SCHEDULE_PACKED,        SPMM_SCHEDULE_DENSE, SPMM_SCHEDULE_DENSE};
    const spmm_dtype_t dtype = (spmm_dtype_t)((int)SPMM_F32 + (turn < 2 ? turn : (turn + 1) % 4));
    const struct test_plan_options options = {dtype, schedules[turn], 16, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    if (turn == 6)
        test_plan_units(plan, 64, plan->variants[0].compute);
    if (turn == 7)
        test_plan_groups(plan, 64, plan->variants[0].compute);
    return plan;
}

static const char *const split_matrices[] = {"dense row among sparse", "2 x 6000 short-fat", "dense", "band",
                                             "1 x 9000 dense",         "power law"};
#define SPLIT_COUNT (sizeof split_matrices / sizeof split_matrices[0])

static void same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    const int64_t widths[] = {1, 8, 40, 130};
    for (size_t m = 0; m < SPLIT_COUNT; m++)
        for (size_t p = 0; p < PLAN_COUNT; p++)
            for (int turn = 0; turn < 4; turn++) {
                struct test_matrix *a = test_matrix_named(split_matrices[m], TEST_VALUES_REAL);
                spmm_plan_t *plan = test_plan_build(a, plans[p]);
                const struct test_product product = {
                    SPMM_OP_N, widths[turn], (spmm_layout_t)(turn & 1), (spmm_layout_t)(turn >> 1), 0, 0, 0,
                    1.5,       -0.5,         TEST_VALUES_REAL};
                test_law_threads(a, plan, &product);
                spmm_plan_destroy(plan);
                test_matrix_free(a);
            }
}

#define REPEATS 1000

static void a_thousand_repeats_have_the_same_bits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("2 x 6000 short-fat", TEST_VALUES_REAL);
    const struct test_product product = {SPMM_OP_N, 9, SPMM_COL_MAJOR,  SPMM_ROW_MAJOR, 0, 0, 0,
                                         1,         0, TEST_VALUES_REAL};
    for (int turn = 0; turn < FAMILY_TURNS; turn++) {
        spmm_plan_t *plan = plan_of_family(a, turn);
        spmm_executor_t *executor = executor_with(plan, 2);
        struct test_dense b = test_product_b(a, plan->dtype, &product);
        struct test_dense first = test_product_c(a, plan->dtype, &product), c = test_dense_copy(&first);
        test_product_run(executor, &product, &b, &first);
        for (int repeat = 1; repeat < REPEATS; repeat++) {
            test_product_run(executor, &product, &b, &c);
            assert_memory_equal(c.block, first.block, c.block_bytes);
        }
        test_dense_free(&c);
        test_dense_free(&first);
        test_dense_free(&b);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

#define CANARY_COLS 130

static int canaries, canary_matrices; /* products with a row of B that is not finite */

/* Checks that if row j of B is not finite, exactly the rows of C that store column j are not finite. */
static void canary(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype, int64_t j,
                   int turn)
{
    const struct test_product product = {
        SPMM_OP_N, 5, (spmm_layout_t)(turn & 1), (spmm_layout_t)(turn >> 1 & 1), 0, 0, 0,
        1,         0, TEST_VALUES_REAL};
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    for (int64_t q = 0; q < 5; q++)
        test_dense_set(&b, j, q, turn & 4 ? (double)NAN : (double)INFINITY);
    test_product_run(executor, &product, &b, &c);
    test_product_check_canary(a, j, &c);
    canaries++;
    test_dense_free(&b);
    test_dense_free(&c);
}

/* 1e-60 is 0 in f32. Alpha = 1e-60 must not read B, beta = 1e-60 must not read C: both hold NaN. */
static void a_factor_that_is_0_in_the_type_of_sums_is_0(void **state)
{
    (void)state;
    static const struct test_plan_options options[] = {{SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0},
                                                       {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 64, 0, 0},
                                                       {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0},
                                                       {SPMM_BF16, SPMM_SCHEDULE_SEGMENTED, 7, 0, 0}};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    for (size_t p = 0; p < sizeof options / sizeof options[0]; p++) {
        spmm_plan_t *plan = test_plan_build(a, options[p]);
        spmm_executor_t *executor = executor_with(plan, 2);
        struct test_product product = {.n = 5, .alpha = 1e-60, .beta = 1, .values = TEST_VALUES_REAL};
        struct test_dense b = test_product_b(a, options[p].dtype, &product);
        struct test_dense c = test_product_c(a, options[p].dtype, &product), before = test_dense_copy(&c);
        struct test_dense nan = test_dense_copy(&b);
        for (int64_t i = 0; i < 5 * a->cols; i++)
            test_dense_set(&nan, i / 5, i % 5, (double)NAN);
        test_product_run(executor, &product, &nan, &c);
        assert_memory_equal(c.block, before.block, c.block_bytes);
        product.alpha = 1, product.beta = 1e-60;
        for (int64_t i = 0; i < 5 * a->rows; i++)
            test_dense_set(&c, i / 5, i % 5, (double)NAN);
        test_product_run(executor, &product, &b, &c);
        for (int64_t i = 0; i < 5 * a->rows; i++)
            assert_true(isfinite(test_dense_get(&c, i / 5, i % 5)));
        test_dense_free(&nan);
        test_dense_free(&before);
        test_dense_free(&c);
        test_dense_free(&b);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

/* Every column of matrices with few columns, and 16 or 17 evenly spaced columns of the others. */
static void nan_and_inf_reach_exactly_the_rows_that_store_the_column(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
        const int64_t step = a->cols <= CANARY_COLS ? 1 : a->cols / 16;
        for (int turn = 0; turn < FAMILY_TURNS; turn++) {
            spmm_plan_t *plan = plan_of_family(a, turn);
            spmm_executor_t *executor = executor_with(plan, 2);
            for (int64_t j = 0; j < a->cols; j += step)
                canary(executor, a, plan->dtype, j, (int)(j + m) & 7);
            spmm_executor_destroy(executor);
            spmm_plan_destroy(plan);
        }
        canary_matrices += a->cols > 0;
        test_matrix_free(a);
    }
}

/* Every family with both layouts of C. Alpha = 1e300 is infinite in the sum type f32. */
static void empty_rows_give_beta_times_c_whatever_alpha_is(void **state)
{
    (void)state;
    static const double alphas[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300, 2};
    const char *names[] = {"first rows empty", "middle rows empty", "last rows empty", "odd rows empty"};
    for (int turn = 0; turn < FAMILY_TURNS * 4 * 5 * 4; turn++) {
        struct test_matrix *a = test_matrix_named(names[turn / 8 % 4], TEST_VALUES_REAL);
        spmm_plan_t *plan = plan_of_family(a, turn % 8);
        spmm_executor_t *executor = executor_with(plan, 2);
        struct test_product product = {.n = 9 + turn % 32,
                                       .b_layout = (spmm_layout_t)(turn / 160 & 1),
                                       .c_layout = (spmm_layout_t)(turn / 320),
                                       .alpha = alphas[turn / 32 % 5],
                                       .beta = turn / 160 & 1 ? -0.5 : 0,
                                       .values = TEST_VALUES_REAL};
        test_law_empty_rows(test_product_run, executor, a, plan->dtype, &product);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

static void unit_vectors_give_the_columns(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_plan_build(a, plans[(size_t)m % PLAN_COUNT]);
        spmm_executor_t *executor = executor_with(plan, 2);
        // The columns of B are unit vectors e_0, e_s, e_2s ..
        const int64_t n = a->cols < 20 ? a->cols : 20;
        const int64_t step = n > 0 ? a->cols / n : 1;
        const struct test_product product = {
            SPMM_OP_N, n, (spmm_layout_t)(m & 1), (spmm_layout_t)(m >> 1 & 1), 0, 0, 0,
            1,         0, TEST_VALUES_REAL};
        struct test_dense b = test_product_b(a, plan->dtype, &product),
                          c = test_product_c(a, plan->dtype, &product);
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t q = 0; q < n; q++)
                test_dense_set(&b, j, q, j == q * step);
        test_product_run(executor, &product, &b, &c);
        for (int64_t i = 0; i < a->rows; i++)
            for (int64_t q = 0; q < n; q++) {
                double want = 0;
                for (int64_t p = a->row_ptr[i]; p < a->row_ptr[i + 1]; p++)
                    if (a->col_ind[p] == q * step)
                        want = test_value_round(plan->dtype, a->values[p]);
                assert_true(test_dense_get(&c, i, q) == want);
            }
        test_dense_free(&b);
        test_dense_free(&c);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
}

/* With integers every sum is exact, so A (x + y) - A y must equal A x bit by bit. */
static void products_add(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_INTEGER);
    for (size_t p = 0; p < PLAN_COUNT; p++) {
        if (spmm_dtype_size(plans[p].dtype) == 2) /* 16-bit C rounds the sums */
            continue;
        spmm_plan_t *plan = test_plan_build(a, plans[p]);
        spmm_executor_t *executor = executor_with(plan, 2);
        const struct test_product times_y = {SPMM_OP_N, 6, SPMM_ROW_MAJOR,     SPMM_ROW_MAJOR, 0, 0, 0,
                                             1,         0, TEST_VALUES_INTEGER};
        struct test_product minus = times_y;
        minus.alpha = -1;
        minus.beta = 1;
        struct test_dense x = test_product_b(a, plans[p].dtype, &times_y), y = test_dense_copy(&x),
                          sum = test_dense_copy(&x);
        for (int64_t i = 0; i < a->cols; i++)
            for (int64_t j = 0; j < 6; j++) {
                test_dense_set(&y, i, j, test_integer((uint64_t)(i + j * 7), 11));
                test_dense_set(&sum, i, j, test_dense_get(&x, i, j) + test_dense_get(&y, i, j));
            }
        struct test_dense c = test_product_c(a, plans[p].dtype, &times_y), cx = test_dense_copy(&c);
        test_product_run(executor, &times_y, &sum, &c);
        test_product_run(executor, &minus, &y, &c);
        test_product_run(executor, &times_y, &x, &cx);
        assert_memory_equal(c.block, cx.block, c.block_bytes);
        test_dense_free(&x);
        test_dense_free(&y);
        test_dense_free(&sum);
        test_dense_free(&c);
        test_dense_free(&cx);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

static void new_values_replace_the_plans_for_both_ops(void **state)
{
    (void)state;
    for (int m = 0; m < test_matrix_count(); m++)
        for (size_t p = 0; p < PLAN_COUNT; p++) {
            struct test_matrix *a = test_matrix_make(m, TEST_VALUES_REAL);
            struct test_plan_options options = plans[p];
            options.has_no_values = m & 1;
            spmm_plan_t *plan = test_plan_build(a, options);
            const struct test_product product = {SPMM_OP_N, 3, SPMM_ROW_MAJOR,  SPMM_COL_MAJOR, 1, 0, 0,
                                                 1,         0, TEST_VALUES_REAL};
            test_law_new_values(a, plan, &product);
            spmm_plan_destroy(plan);
            test_matrix_free(a);
        }
}

static void set_values_refuses_null(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, plans[0]);
    spmm_executor_t *executor = executor_with(plan, 1);
    spmm_diag_t diag;
    assert_int_equal(spmm_executor_set_values(executor, NULL, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_true(diag.text[0] != '\0');
    assert_int_equal(spmm_executor_set_values(NULL, a->values, NULL, NULL), SPMM_ERR_ARGUMENT);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

struct user {
    const spmm_plan_t *plan;
    const struct test_dense *b;
    struct test_dense c;
    spmm_status_t status;
};

static void *user_main(void *context)
{
    struct user *user = context;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    options.threads = 1;
    for (int repeat = 0; repeat < 20 && user->status == SPMM_OK; repeat++) {
        spmm_executor_t *executor = NULL;
        user->status = spmm_executor_create(user->plan, SPMM_DEVICE_CPU, &options, &executor, NULL);
        void *workspace = aligned_alloc(256, 1 << 20);
        if (user->status == SPMM_OK)
            user->status = spmm_execute(executor, SPMM_OP_N, spmm_real(1), &user->b->view, spmm_real(0),
                                        &user->c.view, workspace, 1 << 20, NULL, NULL);
        free(workspace);
        spmm_executor_destroy(executor);
    }
    return NULL;
}

static void two_threads_share_one_plan(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("dense row among sparse", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, plans[1]);
    const struct test_product product = {SPMM_OP_N, 12, SPMM_ROW_MAJOR,  SPMM_ROW_MAJOR, 0, 0, 0,
                                         1,         0,  TEST_VALUES_REAL};
    struct test_dense b = test_product_b(a, SPMM_F32, &product);
    struct user users[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        users[i] = (struct user){plan, &b, test_product_c(a, SPMM_F32, &product), SPMM_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, user_main, &users[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(users[i].status, SPMM_OK);
        assert_true(test_judge(a, SPMM_OP_N, 1, &b, 0, &users[i].c, &users[i].c).ratio <= 1);
    }
    assert_memory_equal(users[0].c.block, users[1].c.block, users[0].c.block_bytes);
    test_dense_free(&users[0].c);
    test_dense_free(&users[1].c);
    test_dense_free(&b);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_at_any_number_of_threads),
        cmocka_unit_test(a_thousand_repeats_have_the_same_bits),
        cmocka_unit_test(nan_and_inf_reach_exactly_the_rows_that_store_the_column),
        cmocka_unit_test(a_factor_that_is_0_in_the_type_of_sums_is_0),
        cmocka_unit_test(empty_rows_give_beta_times_c_whatever_alpha_is),
        cmocka_unit_test(unit_vectors_give_the_columns),
        cmocka_unit_test(products_add),
        cmocka_unit_test(new_values_replace_the_plans_for_both_ops),
        cmocka_unit_test(set_values_refuses_null),
        cmocka_unit_test(two_threads_share_one_plan),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0) {
        printf("scorecard: E16 %d of %d products of each of %d kernels have the same bits on the CPU\n",
               REPEATS, REPEATS, FAMILY_TURNS);
        printf("scorecard: E18 %d products with NaN or infinity in one row of B, %d matrices, %d kernels on "
               "the CPU\n",
               canaries, canary_matrices, FAMILY_TURNS);
    }
    return failed;
}
