/* SPDX-License-Identifier: Apache-2.0 */
/* Executors from plan files: their products are bitwise equal to those of an executor made from the plan in
 * memory. Invalid files and devices are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <spmm/executor.h>

#include "tests/support/plan_seal.h"

enum { N = 5 };

static char path[] = "/tmp/spmm_executor_load_XXXXXX";

static spmm_plan_t *make_plan(void)
{
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, "source");
    test_matrix_free(a);
    return plan;
}

/* Returns C of N columns for B(i) = 1 / (i + 1). The caller frees it. */
static double *product_of(const spmm_executor_t *executor, const spmm_plan_info_t *info)
{
    double *b = calloc((size_t)info->cols * N, sizeof *b), *c = calloc((size_t)info->rows * N, sizeof *c);
    assert_true(b != NULL && c != NULL);
    for (int64_t i = 0; i < info->cols * N; i++)
        b[i] = 1.0 / (double)(i + 1);
    const spmm_dense_t view_b = {b, info->cols, N, N, SPMM_ROW_MAJOR, SPMM_F64},
                       view_c = {c, info->rows, N, N, SPMM_ROW_MAJOR, SPMM_F64};
    assert_int_equal(
        spmm_execute(executor, SPMM_OP_N, spmm_real(1), &view_b, spmm_real(0), &view_c, NULL, 0, NULL, NULL),
        SPMM_OK);
    free(b);
    return c;
}

static void a_file_gives_the_bits_of_its_plan(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_plan_info_t info = {.struct_size = sizeof info};
    spmm_executor_t *made = NULL, *loaded = NULL;
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, NULL, &made, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    assert_int_equal(spmm_executor_load(path, NULL, SPMM_DEVICE_CPU, NULL, &loaded, NULL), SPMM_OK);
    double *expected = product_of(made, &info), *found = product_of(loaded, &info);
    assert_memory_equal(found, expected, (size_t)info.rows * N * sizeof *found);
    free(expected);
    free(found);
    spmm_executor_destroy(made);
    spmm_executor_destroy(loaded);
}

/* Checks the status of spmm_executor_load. A refusal sets the executor to NULL. */
static void expect(spmm_status_t expected, const char *name, const spmm_load_options_t *load, int device,
                   const spmm_executor_options_t *options)
{
    spmm_executor_t *executor = (spmm_executor_t *)(void *)path;
    spmm_diag_t diag = {.status = SPMM_OK};
    assert_int_equal(spmm_executor_load(name, load, device, options, &executor, &diag), expected);
    assert_int_equal(diag.status, expected);
    assert_null(executor);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    spmm_plan_t *plan = make_plan();
    spmm_load_options_t load = SPMM_LOAD_OPTIONS_INIT;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    assert_int_equal(spmm_plan_save(plan, path, NULL, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    expect(SPMM_ERR_IO, "/tmp/spmm_there_is_no_such_file", NULL, SPMM_DEVICE_CPU, NULL);
    expect(SPMM_ERR_ARGUMENT, NULL, NULL, SPMM_DEVICE_CPU, NULL);
    expect(SPMM_ERR_NO_DEVICE, path, NULL, 4711, NULL);
    load.budget_bytes = 1;
    expect(SPMM_ERR_PLAN_BUDGET, path, &load, SPMM_DEVICE_CPU, NULL);
    options.host_budget_bytes = 1;
    expect(SPMM_ERR_PLAN_BUDGET, path, NULL, SPMM_DEVICE_CPU, &options);
    assert_int_equal(spmm_executor_load(path, NULL, SPMM_DEVICE_CPU, NULL, NULL, NULL), SPMM_ERR_ARGUMENT);
    assert_int_equal(truncate(path, 300), 0);
    expect(SPMM_ERR_PLAN_TRUNCATED, path, NULL, SPMM_DEVICE_CPU, NULL);
}

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_the_bits_of_its_plan),
        cmocka_unit_test(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
