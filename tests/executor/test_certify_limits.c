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

static void warnings_count(void *context, spmm_log_level_t level, const char *text)
{
    *(int *)context += level == SPMM_LOG_WARNING && strstr(text, "a certifier takes at most 1024") != NULL;
}

/* A check takes memory for each thread before any starts. */
static void threads_are_limited(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = test_plan_whole(a, whole, "x");
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 1, NULL);
    spmm_certifier_options_t options = SPMM_CERTIFIER_OPTIONS_INIT;
    spmm_certifier_t *certifier = NULL;
    int warnings = 0;
    spmm_log_set(warnings_count, &warnings, SPMM_LOG_WARNING);
    for (options.threads = 1024; options.threads <= 1025; options.threads++) {
        assert_int_equal(spmm_certifier_create(plan, executor, &options, &certifier, NULL), SPMM_OK);
        spmm_certifier_destroy(certifier);
        assert_int_equal(warnings, options.threads == 1025);
    }
    spmm_log_set(NULL, NULL, SPMM_LOG_OFF);
    assert_int_equal(spmmi_cpu_threads(INT64_C(1) << 40, 1, 1 << 20), SPMMI_TEAM_MAX);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_executor_of_other_parts_is_refused),
        cmocka_unit_test(threads_are_limited),
    };
    return cmocka_run_group_tests_name("certify_limits", tests, NULL, NULL);
}
