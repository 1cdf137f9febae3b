/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of spmm_executor_prepare: widths, types of C, and allocations that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <ftw.h>
#include <unistd.h>

#include "executor/executor_state.h"
#include "fake_driver.h"
#include "fake_gpu.h"
#include "format/base/alloc.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"
#include "prepare_scene.h"

/* The program counts columns with 32 bits, and the bytes of a row too. */
static void products_that_are_too_wide_run_as_before(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    (void)state;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_COMPILED, "");
    static const struct {
        int64_t n, b_ld, c_ld;
        int is_operator;
    } cases[] = {
        {16384, (1 << 30) - 1, (1 << 30) - 1, 1},
        {16384, 1 << 30, 16384, 0},
        {16384, 16384, 1 << 30, 0},
        {INT64_C(1) << 31, INT64_C(1) << 31, INT64_C(1) << 31, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_dense_t b, c;
        spmm_executor_info_t info = {.struct_size = sizeof info};
        describe(plan, SPMM_OP_N, cases[i].n, &b, &c);
        b.ld = cases[i].b_ld;
        c.ld = cases[i].c_ld;
        const spmm_status_t status = spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, NULL);
        assert_int_equal(status, cases[i].n > INT32_MAX ? SPMM_ERR_TOO_LARGE : SPMM_OK);
        assert_int_equal(strcmp(info.kernel, SPMMI_JIT_KERNEL) == 0, cases[i].is_operator);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

static void creation_without_memory_is_refused(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    spmm_status_t status = SPMM_ERR_MEMORY;
    (void)state;
    parts_make(plan);
    options.jit = SPMM_JIT_ON;
    const int64_t live = spmmi_alloc_live();
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 0);
        status = spmm_executor_create(plan, 0, &options, &executor, NULL);
        const int64_t count = spmmi_alloc_count();
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, count > k ? SPMM_ERR_MEMORY : SPMM_OK);
        spmm_executor_destroy(executor);
        assert_int_equal(spmmi_alloc_live(), live);
    }
    spmm_plan_destroy(plan);
}

/* An allocation that fails while code is read from the disk is a miss of the cache, not an error. */
static void without_memory_the_cache_is_missed(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F32);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    int is_done = 0;
    (void)state;
    expect(prepare(executor, plan, SPMM_OP_N, 16384, 0), SPMM_PREPARED_COMPILED, "");
    spmm_executor_destroy(executor);
    for (int64_t k = 0; !is_done; k++) {
        spmm_preparation_t result = {.struct_size = sizeof result};
        spmm_dense_t b, c;
        describe(plan, SPMM_OP_N, 16384, &b, &c);
        executor = executor_of(plan, SPMM_JIT_ON);
        const int64_t live = spmmi_alloc_live();
        spmmi_alloc_fail_at(k, 0);
        const spmm_status_t status = spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL);
        is_done = spmmi_alloc_count() <= k;
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status == SPMM_OK && result.how == SPMM_PREPARED_LOADED, is_done);
        assert_true(status == SPMM_OK || status == SPMM_ERR_MEMORY);
        assert_int_equal(spmmi_alloc_live(),
                         live + (result.how == SPMM_PREPARED_COMPILED || result.how == SPMM_PREPARED_LOADED));
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
}

/* C may have another type than A and B: it needs an operator of its own. */
static void an_operator_is_of_one_type_of_c(void **state)
{
    spmm_plan_t *plan = plan_make(SPMM_F16);
    spmm_executor_t *executor = executor_of(plan, SPMM_JIT_ON);
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        spmm_dense_t b, c;
        spmm_preparation_t result = {.struct_size = sizeof result};
        describe(plan, SPMM_OP_N, 16384, &b, &c);
        c.type = turn % 2 == 0 ? SPMM_F16 : SPMM_F32;
        assert_int_equal(spmm_executor_prepare(executor, SPMM_OP_N, &b, &c, 0, &result, NULL), SPMM_OK);
        expect(result, turn < 2 ? SPMM_PREPARED_COMPILED : SPMM_PREPARED_BEFORE, "");
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(products_that_are_too_wide_run_as_before),
        CASE(creation_without_memory_is_refused),
        CASE(without_memory_the_cache_is_missed),
        CASE(an_operator_is_of_one_type_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
