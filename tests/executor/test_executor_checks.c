/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor refuses that test_executor.c does not ask: pointers that are NULL, factors that are complex,
 * matrices that pass the address space; and what they take at the edge of that. */
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
#define SIZE 3 /* of A */

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

static spmm_status_t execute(const struct fixture *f, double alpha_im, double beta_im, spmm_diag_t *diag)
{
    return spmm_execute(f->executor, SPMM_OP_N, (spmm_scalar_t){1, alpha_im}, &f->b,
                        (spmm_scalar_t){0, beta_im}, &f->c, NULL, 0, NULL, diag);
}

static void pointers_that_are_null_are_refused(void **state)
{
    struct fixture f = setup();
    spmm_executor_info_t info = {.struct_size = sizeof info};
    spmm_executor_options_t negative = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_diag_t diag;
    uint64_t bytes = 0;
    char text[4];
    (void)state;
    negative.threads = -1;
    const spmm_status_t refused[] = {
        spmm_executor_memory_bytes(NULL, SPMM_DEVICE_CPU, NULL, NULL, NULL, NULL),
        spmm_executor_memory_bytes(f.plan, SPMM_DEVICE_CPU, &negative, NULL, NULL, NULL),
        spmm_executor_workspace_bytes(f.executor, SPMM_OP_N, &f.b, &f.c, NULL, NULL),
        spmm_executor_workspace_bytes(f.executor, (spmm_op_t)9, &f.b, &f.c, &bytes, NULL),
        spmm_executor_info(NULL, SPMM_OP_N, NULL, NULL, &info, NULL),
        spmm_executor_info(f.executor, SPMM_OP_N, NULL, NULL, NULL, NULL),
        spmm_executor_info(f.executor, SPMM_OP_N, &f.b, NULL, &info, NULL),
        spmm_executor_info(f.executor, SPMM_OP_N, NULL, &f.c, &info, NULL),
        spmm_executor_set_values(NULL, room, NULL, NULL),
        spmm_executor_set_values(f.executor, NULL, NULL, NULL),
        spmm_device_name(SPMM_DEVICE_CPU, text, 0),
        spmm_device_name(SPMM_DEVICE_CPU, NULL, 4),
        spmm_kernel_at(-1, NULL),
    };
    for (size_t i = 0; i < COUNT(refused); i++)
        if (refused[i] != SPMM_ERR_ARGUMENT)
            fail_msg("case %zu: %s", i, spmm_status_name(refused[i]));
    assert_int_equal(spmm_executor_info(NULL, SPMM_OP_N, NULL, NULL, NULL, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "the executor is NULL"));
    teardown(&f);
}

/* With no log that could take the warning. */
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

static void complex_factors_are_refused(void **state)
{
    struct fixture f = setup();
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(execute(&f, 0, 0, &diag), SPMM_OK);
    assert_int_equal(execute(&f, 1, 0, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "alpha is 1"));
    assert_int_equal(execute(&f, 0, -2, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "beta is -2"));
    teardown(&f);
}

/* C has no rows, B has some: nothing is written, and the two cannot overlap. */
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
    assert_int_equal(execute(&f, 0, 0, NULL), SPMM_OK);
    assert_int_equal(spmm_executor_set_values(f.executor, NULL, NULL, NULL), SPMM_OK); /* there are none */
    teardown(&f);
}

/* Leading dimensions that overflow a sum, a product, the signed half of the address space; nothing is read. */
static void matrices_beyond_the_address_space_are_refused(void **state)
{
    static const int64_t lds[] = {INT64_MAX, INT64_C(1) << 62, INT64_C(1) << 60};
    struct fixture f = setup();
    spmm_diag_t diag;
    (void)state;
    for (size_t i = 0; i < COUNT(lds); i++) {
        f.b.ld = lds[i];
        assert_int_equal(execute(&f, 0, 0, &diag), SPMM_ERR_TOO_LARGE);
        f.b.ld = N, f.c.ld = lds[i];
        assert_int_equal(execute(&f, 0, 0, &diag), SPMM_ERR_TOO_LARGE);
        f.c.ld = N;
    }
    f.b.data = (void *)(UINTPTR_MAX - 15); /* NOLINT: no memory */
    assert_int_equal(execute(&f, 0, 0, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "B ends past the last address"));
    teardown(&f);
}

static void shapes_and_types_are_told_apart(void **state)
{
    struct fixture f = setup();
    spmm_diag_t diag;
    (void)state;
    f.b.layout = SPMM_COL_MAJOR, f.b.ld = SIZE - 1;
    assert_int_equal(execute(&f, 0, 0, &diag), SPMM_ERR_ARGUMENT);
    assert_non_null(strstr(diag.text, "less than the 3 elements of a column"));
    f.b.layout = SPMM_ROW_MAJOR, f.b.ld = N;
    f.c.type = SPMM_F64;
    assert_int_not_equal(execute(&f, 0, 0, &diag), SPMM_OK);
    f.c.type = SPMM_F32;
    f.b.cols = f.c.cols = 0;
    assert_int_equal(execute(&f, 0, 0, &diag), SPMM_OK);
    f.b.layout = f.c.layout = SPMM_COL_MAJOR;
    assert_int_equal(execute(&f, 0, 0, &diag), SPMM_OK);
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_that_are_null_are_refused),
        cmocka_unit_test(more_threads_than_any_machine_has_are_taken),
        cmocka_unit_test(a_matrix_without_rows_is_multiplied),
        cmocka_unit_test(complex_factors_are_refused),
        cmocka_unit_test(matrices_beyond_the_address_space_are_refused),
        cmocka_unit_test(shapes_and_types_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
