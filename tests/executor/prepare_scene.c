/* SPDX-License-Identifier: Apache-2.0 */
/* See prepare_scene.h. */
#include "prepare_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "executor/executor_state.h"
#include "fake_driver.h"
#include "fake_gpu.h"
#include "format/base/alloc.h"
#include "tests/support/cache_folder.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

static const spmm_family_t families[] = {SPMM_FAMILY_ROWS};
char folder[] = "/tmp/spmm_prepare_XXXXXX"; /* the disk cache of a test */

int setup(void **state)
{
    (void)state;
    fake_driver_works();
    fake_gpu.target = 90;
    return cache_folder_make(folder);
}

static void parts_free(void)
{
    free(fake_gpu.parts);
    fake_gpu.parts = NULL;
}

int teardown(void **state)
{
    (void)state;
    parts_free();
    const int is_left = fake_driver.contexts != 0 || fake_driver.depth != 0 || fake_driver.links != 0 ||
                        fake_driver.modules != 0;
    return is_left || cache_folder_remove(folder) != 0;
}

TEST_PATTERN(some, i % 7 != 2 && (i == j || test_chance(i, j, 8)))

struct test_matrix *matrix_make(void)
{
    const struct test_pattern pattern = {"some", 90, 60, some};
    return test_matrix_of(&pattern, TEST_VALUES_REAL);
}

spmm_plan_t *plan_make(spmm_dtype_t dtype)
{
    const struct test_plan_options options = {dtype, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    struct test_matrix *a = matrix_make();
    spmm_plan_t *plan = test_plan_build(a, options);
    test_matrix_free(a);
    return plan;
}

/* Gives the fake GPU parts for executors of this plan that are made from now on. */
void parts_make(const spmm_plan_t *plan)
{
    parts_free();
    spmm_executor_destroy(fake_gpu_executor(plan, families, 1));
}

/* Returns an executor with this option jit. Its GPU holds the plan's values. */
spmm_executor_t *executor_of(const spmm_plan_t *plan, spmm_jit_level_t level)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    options.jit = level;
    parts_make(plan);
    fake_gpu.values = plan->values;
    fake_gpu.value_bytes = (uint64_t)plan->nnz * spmm_dtype_size(plan->dtype);
    assert_int_equal(spmm_executor_create(plan, 0, &options, &executor, NULL), SPMM_OK);
    return executor;
}

/* Sets b and c to operands without data. */
void describe(const spmm_plan_t *plan, spmm_op_t op, int64_t n, spmm_dense_t *b, spmm_dense_t *c)
{
    *b = (spmm_dense_t){NULL, op == SPMM_OP_N ? plan->cols : plan->rows, n, n, SPMM_ROW_MAJOR, plan->dtype};
    *c = (spmm_dense_t){NULL, op == SPMM_OP_N ? plan->rows : plan->cols, n, n, SPMM_ROW_MAJOR, plan->dtype};
}

spmm_preparation_t prepare_layout(spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                                  spmm_layout_t layout, unsigned flags)
{
    spmm_dense_t b, c;
    spmm_preparation_t result = {.struct_size = sizeof result};
    spmm_diag_t diag;
    describe(plan, op, n, &b, &c);
    b.layout = layout;
    b.ld = layout == SPMM_ROW_MAJOR ? n : b.rows;
    if (spmm_executor_prepare(executor, op, &b, &c, flags, &result, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_true(result.seconds >= 0);
    return result;
}

spmm_preparation_t prepare(spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                           unsigned flags)
{
    return prepare_layout(executor, plan, op, n, SPMM_ROW_MAJOR, flags);
}

void expect(const spmm_preparation_t result, spmm_prepared_t how, const char *note)
{
    const int is_quiet = how != SPMM_PREPARED_NOT && note[0] == '\0';
    const int is_told = is_quiet ? result.note[0] == '\0' : strstr(result.note, note) != NULL;
    if (result.how != how || !is_told)
        fail_msg("%d, note \"%s\", expected %d, \"%s\"", (int)result.how, result.note, (int)how, note);
}

int is_operator(const spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op, int64_t n)
{
    spmm_dense_t b, c;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    describe(plan, op, n, &b, &c);
    assert_int_equal(spmm_executor_info(executor, op, &b, &c, &info, NULL), SPMM_OK);
    assert_true(strcmp(info.kernel, "cuda/fake") == 0 || strcmp(info.kernel, SPMMI_JIT_KERNEL) == 0);
    return strcmp(info.kernel, SPMMI_JIT_KERNEL) == 0;
}
