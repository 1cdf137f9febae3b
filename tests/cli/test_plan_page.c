/* SPDX-License-Identifier: Apache-2.0 */
/* The page of a plan whose trace has unrealistic times: every finite number that a plan may contain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/plan.h"
#include "tests/support/plan_seal.h"
#include "tools/report/plan_page.h"

static spmm_plan_t *some_plan(void)
{
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    spmm_plan_t *plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F32, SPMM_SCHEDULE_WHOLE, 7, 0, 0}, "");
    test_matrix_free(a);
    assert_true(plan->trace_count > 0);
    return plan;
}

static void any_finite_time_makes_a_page(void **state)
{
    static const double times[] = {0, 5e-324, DBL_MIN, 1e-9, 12.5, 1e15, 1e300, DBL_MAX};
    const size_t count = sizeof times / sizeof *times;
    spmm_plan_t *plan = some_plan();
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)state;
    for (size_t i = 0; i < count * count; i++) {
        char *text = NULL;
        size_t size = 0;
        spmm_diag_t diag = {0};
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        plan->trace[0].chosen = 1;
        plan->trace[0].predicted_us = times[i % count];
        plan->trace[0].measured_us = times[i / count];
        assert_int_equal(spmm_plan_info(plan, &info), SPMM_OK);
        const struct plan_page page = {.plan = plan, .info = &info};
        assert_int_equal(plan_page_write(out, &page, &diag), SPMM_OK);
        assert_int_equal(fclose(out), 0);
        assert_in_range(size, 5000, 40000);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf\"")); /* coordinates */
        assert_null(strstr(text, "inf,"));
        assert_null(strstr(text, ">inf<"));
        assert_non_null(strstr(text, "</html>\n"));
        free(text);
    }
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_finite_time_makes_a_page),
    };
    return cmocka_run_group_tests_name("plan_page", tests, NULL, NULL);
}
