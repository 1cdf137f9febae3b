/* SPDX-License-Identifier: Apache-2.0 */
/* Checks plans that use nonzero split for small n and row split for larger n: inspected, saved, loaded, run
 * on the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/plan.h"
#include "inspector/matrix/matrix.h"
#include "tests/support/products.h"

/* Values of n on both sides of each edge between ranges of n. */
static const int64_t widths[] = {1, 2, 3, 8, 9, 16, 17, 48, 49, 96, 97, 192, 193};
#define WIDTH_COUNT (sizeof widths / sizeof widths[0])

/* Matrices with 19, 41 or 61 nonzeros per row, in a band or scattered. */
struct two_parts_case {
    const char *name, *spec;
    int runs; /* whether products are computed; otherwise only the kernels' names are checked */
};
static const struct two_parts_case cases[] = {
    {"rows_of_19", "gen:band:300:9", 1},         {"many_rows_of_41", "gen:rand:14000:41", 0},
    {"fewer_rows_of_41", "gen:rand:8000:41", 0}, {"few_rows_of_41", "gen:band:1000:20", 1},
    {"rows_of_61", "gen:band:2000:30", 0},
};

/* Inspects the matrix for both ops, saves the plan to a file and loads it. The caller destroys the plan. */
static spmm_plan_t *inspect_save_load(const spmm_matrix_t *m, spmm_dtype_t dtype)
{
    char path[] = "/tmp/spmm_two_parts_XXXXXX";
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag = {0};
    options.ops = SPMM_OPS_N | SPMM_OPS_T;
    options.a_type = dtype;
    options.force_kernel = "rows"; /* the family only, so that the search chooses the schedules */
    assert_int_equal(spmm_inspect(m, &options, &plan, &diag), SPMM_OK);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    if (spmm_plan_save(plan, path, NULL, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    spmm_plan_destroy(plan);
    plan = NULL;
    const spmm_status_t status = spmm_plan_load(path, NULL, &plan, &diag);
    unlink(path);
    if (status != SPMM_OK)
        fail_msg("%s", diag.text);
    return plan;
}

/* Checks that each op has both schedules: the search finds row split for CPUs and nonzero split for GPUs. */
static void has_two_parts_for_each_op(const spmm_plan_t *plan)
{
    assert_int_equal(plan->part_count, 4);
    for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++) {
        uint32_t schedules = 0;
        for (uint32_t i = 0; i < plan->part_count; i++)
            schedules |= plan->parts[i].op == (spmm_op_t)op ? 1u << plan->parts[i].schedule : 0;
        assert_int_equal(schedules, 1u << SPMM_SCHEDULE_ROW_SPLIT | 1u << SPMM_SCHEDULE_NONZERO_SPLIT);
    }
}

static void names_the_kernel(const spmm_executor_t *executor, const spmm_plan_t *plan, spmm_op_t op,
                             int64_t n)
{
    int fits = 0;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    const int64_t b_rows = op == SPMM_OP_N ? plan->cols : plan->rows;
    const int64_t c_rows = op == SPMM_OP_N ? plan->rows : plan->cols;
    const spmm_dense_t b = {NULL, b_rows, n, n, SPMM_ROW_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, c_rows, n, n, SPMM_ROW_MAJOR, plan->dtype};
    assert_int_equal(spmm_executor_info(executor, op, &b, &c, &info, NULL), SPMM_OK);
    const int v = spmmi_variant_pick(plan, op, 1, n, SPMM_LAYOUTS_ROW_MAJOR, &fits);
    const int splits_rows = plan->parts[plan->variants[v].part_first].schedule == SPMM_SCHEDULE_ROW_SPLIT;
    assert_true(fits);
    assert_string_equal(info.kernel, splits_rows ? "cpu/rows/row-split" : "cpu/rows/nonzero-split");
    assert_int_equal(info.fallback, 0);
}

static void runs_the_part_of_each_n(void **state)
{
    const struct two_parts_case *c = *state;
    spmm_matrix_t *m = NULL;
    assert_int_equal(spmm_matrix_generate(c->spec, &m, NULL), SPMM_OK);
    for (int dtype = SPMM_F32; dtype <= SPMM_F64; dtype++) {
        spmm_plan_t *plan = inspect_save_load(m, (spmm_dtype_t)dtype);
        spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
        spmm_executor_t *executor = NULL;
        has_two_parts_for_each_op(plan);
        options.threads = 2;
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
        for (int op = SPMM_OP_N; op <= SPMM_OP_T; op++) {
            for (size_t i = 0; i < WIDTH_COUNT; i++) {
                const struct test_matrix a = {c->spec,    m->rows,    m->cols,  m->nnz,
                                              m->row_ptr, m->col_ind, m->values};
                const struct test_product product = {.op = (spmm_op_t)op,
                                                     .n = widths[i],
                                                     .b_layout = SPMM_ROW_MAJOR,
                                                     .c_layout = SPMM_ROW_MAJOR,
                                                     .alpha = 1.5,
                                                     .beta = -0.5,
                                                     .values = TEST_VALUES_REAL};
                names_the_kernel(executor, plan, product.op, product.n);
                if (c->runs)
                    test_product_check(executor, &a, (spmm_dtype_t)dtype, &product);
            }
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    spmm_matrix_destroy(m);
}

#define CASE_COUNT (sizeof cases / sizeof cases[0])

int main(void)
{
    struct CMUnitTest tests[CASE_COUNT];
    for (size_t i = 0; i < CASE_COUNT; i++)
        tests[i] = (struct CMUnitTest){cases[i].name, runs_the_part_of_each_n, NULL, NULL,
                                       (void *)(uintptr_t)&cases[i]};
    return cmocka_run_group_tests_name("plan of two parts", tests, NULL, NULL);
}
