/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor refuses or accepts, in addition to test_executor_arguments.c: options out of range, types
 * and shapes that do not fit together, matrices without values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include <spmm/executor.h>

#include "format/base/alloc.h"
#include "tests/support/plan_build.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define N 5
#define SIZE 3 /* rows and columns of A */

static float room[2][64];

struct fixture {
    spmm_plan_t *plan;
    spmm_executor_t *executor;
    spmm_dense_t b, c;
};

static struct fixture setup(void)
{
    static const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    static const int64_t row_ptr[] = {0, 1, 2, 3};
    static const int32_t col_ind[] = {0, 1, 2};
    static const double values[] = {1, 2, 3};
    struct test_matrix a = {.rows = SIZE, .cols = SIZE, .nnz = 3};
    struct fixture f;
    a.row_ptr = (int64_t *)(uintptr_t)row_ptr;
    a.col_ind = (int32_t *)(uintptr_t)col_ind;
    a.values = (double *)(uintptr_t)values;
    f.plan = test_plan_build(&a, options);
    assert_int_equal(spmm_executor_create(f.plan, SPMM_DEVICE_CPU, NULL, &f.executor, NULL), SPMM_OK);
    f.b = (spmm_dense_t){room[0], SIZE, N, N, SPMM_ROW_MAJOR, SPMM_F32};
    f.c = (spmm_dense_t){room[1], SIZE, N, N, SPMM_ROW_MAJOR, SPMM_F32};
    return f;
}

static void teardown(struct fixture *f)
{
    spmm_executor_destroy(f->executor);
    spmm_plan_destroy(f->plan);
    assert_int_equal(spmmi_alloc_live(), 0);
}

static spmm_status_t execute(const struct fixture *f, spmm_diag_t *diag)
{
    return spmm_execute(f->executor, SPMM_OP_N, spmm_real(1), &f->b, spmm_real(0), &f->c, NULL, 0, NULL,
                        diag);
}

static void arguments_that_cannot_be_are_refused(void **state)
{
    struct fixture f = setup();
    spmm_executor_options_t negative = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_diag_t diag;
    uint64_t bytes = 0;
    (void)state;
    negative.threads = -1;
    const spmm_status_t refused[] = {
        spmm_executor_memory_bytes(f.plan, SPMM_DEVICE_CPU, &negative, NULL, NULL, NULL),
        spmm_executor_workspace_bytes(f.executor, (spmm_op_t)9, &f.b, &f.c, &bytes, NULL),
        spmm_executor_info(f.executor, SPMM_OP_N, NULL, NULL, NULL, NULL),
        spmm_device_name(SPMM_DEVICE_CPU, NULL, 4),
    };
    for (size_t i = 0; i < COUNT(refused); i++)
        if (refused[i] != SPMM_ERR_ARGUMENT)
            fail_msg("case %zu: %s", i, spmm_status_name(refused[i]));
    assert_int_equal(spmm_executor_info(NULL, SPMM_OP_N, NULL, NULL, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the executor is NULL"));
    teardown(&f);
}

/* No log is set that could receive the warning. */
static void more_threads_than_any_machine_has_are_taken(void **state)
{
    struct fixture f = setup();
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    (void)state;
    options.threads = 1000000;
    assert_int_equal(spmm_executor_create(f.plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
    spmm_executor_destroy(executor);
    teardown(&f);
}

/* The ones of a pattern are allocated, like the other memory of an executor. */
static void without_memory_there_is_no_executor_of_a_pattern(void **state)
{
    struct fixture f = setup();
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_status_t status = SPMM_ERR_MEMORY;
    const int64_t live = spmmi_alloc_live();
    (void)state;
    options.unit_values = 1;
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmm_executor_t *executor = NULL;
        spmmi_alloc_fail_at(k, 0);
        status = spmm_executor_create(f.plan, SPMM_DEVICE_CPU, &options, &executor, NULL);
        const int64_t count = spmmi_alloc_count();
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, count > k ? SPMM_ERR_MEMORY : SPMM_OK);
        spmm_executor_destroy(executor);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    teardown(&f);
}

/* C has no rows but B has some: nothing is written, and equal addresses do not count as overlap. */
static void a_matrix_without_rows_is_multiplied(void **state)
{
    static const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0};
    static int64_t row_ptr[] = {0};
    const struct test_matrix a = {.cols = SIZE, .row_ptr = row_ptr};
    const spmm_dense_t b = {room[0], SIZE, N, N, SPMM_ROW_MAJOR, SPMM_F32};
    const spmm_dense_t c = {room[0], 0, N, N, SPMM_ROW_MAJOR, SPMM_F32};
    spmm_plan_t *plan = test_plan_build(&a, options);
    struct fixture f = {.plan = plan, .b = b, .c = c};
    (void)state;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &f.executor, NULL), SPMM_OK);
    assert_int_equal(execute(&f, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_set_values(f.executor, NULL, NULL, NULL), SPMM_OK); /* there are none */
    teardown(&f);
}

static void shapes_and_types_are_told_apart(void **state)
{
    struct fixture f = setup();
    spmm_diag_t diag;
    (void)state;
    f.b.layout = SPMM_COL_MAJOR, f.b.ld = SIZE - 1;
    assert_int_equal(execute(&f, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "less than the 3 elements of a column"));
    f.b.layout = SPMM_ROW_MAJOR, f.b.ld = N;
    f.c.type = SPMM_F64;
    assert_int_not_equal(execute(&f, &diag), SPMM_OK);
    f.c.type = SPMM_F32;
    f.b.cols = f.c.cols = 0;
    assert_int_equal(execute(&f, &diag), SPMM_OK);
    f.b.layout = f.c.layout = SPMM_COL_MAJOR;
    assert_int_equal(execute(&f, &diag), SPMM_OK);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_that_cannot_be_are_refused),
        cmocka_unit_test(more_threads_than_any_machine_has_are_taken),
        cmocka_unit_test(without_memory_there_is_no_executor_of_a_pattern),
        cmocka_unit_test(a_matrix_without_rows_is_multiplied),
        cmocka_unit_test(shapes_and_types_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
