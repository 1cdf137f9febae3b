/* SPDX-License-Identifier: Apache-2.0 */
/* Which part a GPU runs if it cannot run the part of a variant. Here the part is tiled/whole, which the GPU
 * of fake_gpu.h supports or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "executor/cuda/cuda_parts.h"
#include "fake_gpu.h"
#include "tests/support/plan_build.h"

static const struct spmmi_device device = {.number = 0, .target = 90};

/* Returns a plan with a tiled part per op, which the variants name, and after them parts of the rows family
 * for the ops in `rows`, which no variant names. */
static spmm_plan_t *plan_make(uint32_t rows)
{
    const struct test_plan_options tiled = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0};
    const struct test_plan_options others = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16,
                                             rows == (SPMM_OPS_N | SPMM_OPS_T), 0};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_build(a, tiled);
    const uint32_t variants = plan->variant_count;
    if (rows != 0)
        test_plan_join(plan, test_plan_build(a, others));
    plan->variant_count = variants;
    test_matrix_free(a);
    return plan;
}

/* Checks the families that run op N and op T. */
static void expect(const spmm_plan_t *plan, const char *kernel, spmm_family_t op_n, spmm_family_t op_t)
{
    struct spmmi_parts *parts = NULL;
    const char *suffix = NULL;
    spmm_diag_t diag = {.status = SPMM_OK};
    if (spmmi_cuda_parts_choose(plan, &device, kernel, &parts, &suffix, &diag) != SPMM_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(diag.status, SPMM_OK);
    const spmm_family_t want[] = {op_n, op_t};
    for (uint32_t i = 0; i < plan->variant_count; i++) {
        assert_int_equal(spmmi_parts_of(parts, (int)i)->part.family, want[plan->variants[i].op == SPMM_OP_T]);
        assert_int_equal(spmmi_parts_of(parts, (int)i)->part.op, plan->variants[i].op);
    }
    spmmi_parts_destroy(parts);
}

static void a_part_that_the_gpu_supports_runs(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_make((SPMM_OPS_N | SPMM_OPS_T));
    fake_gpu.supports = SPMM_OK;
    expect(plan, NULL, SPMM_FAMILY_TILED, SPMM_FAMILY_TILED);
    spmm_plan_destroy(plan);
}

static void a_part_of_the_first_family_and_op_runs_in_its_place(void **state)
{
    (void)state;
    spmm_plan_t *both = plan_make((SPMM_OPS_N | SPMM_OPS_T)), *of_n = plan_make(SPMM_OPS_N);
    fake_gpu.supports = SPMM_ERR_UNSUPPORTED;
    expect(both, NULL, SPMM_FAMILY_ROWS, SPMM_FAMILY_ROWS);
    expect(of_n, NULL, SPMM_FAMILY_ROWS, SPMM_FAMILY_TILED);
    spmm_plan_destroy(of_n);
    spmm_plan_destroy(both);
}

/* Without a replacement, spmm_executor_create refuses the part with the message of its family. */
static void without_one_the_part_stays(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_make(0);
    fake_gpu.supports = SPMM_ERR_UNSUPPORTED;
    expect(plan, NULL, SPMM_FAMILY_TILED, SPMM_FAMILY_TILED);
    spmm_plan_destroy(plan);
}

static void a_forced_kernel_is_not_replaced(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_make((SPMM_OPS_N | SPMM_OPS_T));
    fake_gpu.supports = SPMM_ERR_UNSUPPORTED;
    expect(plan, "cuda/tiled/whole", SPMM_FAMILY_TILED, SPMM_FAMILY_TILED);
    spmm_plan_destroy(plan);
}

/* The caller expects C in the order of the permuting part. */
static void permuted_output_is_not_replaced(void **state)
{
    (void)state;
    spmm_plan_t *plan = plan_make((SPMM_OPS_N | SPMM_OPS_T));
    fake_gpu.supports = SPMM_ERR_UNSUPPORTED;
    plan->parts[plan->variants[0].part_first].flags = SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT;
    expect(plan, NULL, SPMM_FAMILY_TILED, SPMM_FAMILY_ROWS);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_that_the_gpu_supports_runs),
        cmocka_unit_test(a_part_of_the_first_family_and_op_runs_in_its_place),
        cmocka_unit_test(without_one_the_part_stays),
        cmocka_unit_test(a_forced_kernel_is_not_replaced),
        cmocka_unit_test(permuted_output_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
