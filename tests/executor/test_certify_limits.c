/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates at the limits: executors of other plans of the same matrix, exponents and factors at the ends of their
 * ranges, more threads than there may be. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/base/team.h"
#include "kernels/shared/level_cpu.h"
#include "tests/support/certificates.h"
#include "tests/support/plan_seal.h"

static const struct test_plan_options whole = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};

/* Plans of one matrix that differ in items, in flags, in the parts or in the ops of their variants: rows of C would be
 * looked up in items that are fewer, or in an op(A) that the certifier has not made. */
static void an_executor_of_other_parts_is_refused(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *const plans[] = {
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, whole, "x"),
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0}, "x"),
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0}, "x"),
        test_plan_whole(a, whole, "another name alone")};
    enum { PLANS = sizeof plans / sizeof plans[0] };
    test_plan_reorder(plans[1], 5, 1);
    test_plan_reorder(plans[2], 6, 1);
    for (int e = 0; e < PLANS * PLANS; e++) {
        spmm_executor_t *executor = test_executor_make(plans[e / PLANS], SPMM_DEVICE_CPU, 1, NULL);
        spmm_certifier_t *certifier = NULL;
        const int is_same = e / PLANS % (PLANS - 1) == e % PLANS % (PLANS - 1);
        assert_int_equal(spmm_certifier_create(plans[e % PLANS], executor, NULL, &certifier, NULL),
                         is_same ? SPMM_OK : SPMM_ERR_MISMATCH);
        spmm_certifier_destroy(certifier);
        spmm_executor_destroy(executor);
    }
    for (int p = 0; p < PLANS; p++)
        spmm_plan_destroy(plans[p]);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_executor_of_other_parts_is_refused),
    };
    return cmocka_run_group_tests_name("certify_limits", tests, NULL, NULL);
}
