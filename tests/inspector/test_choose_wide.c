/* SPDX-License-Identifier: Apache-2.0 */
/* The wide family in plans: when the default choice takes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "format/plan.h"
#include "inspect_support.h"
#include "kernels/wide/wide_shape.h"

#define WIDE "gen:uniform:2048:1024:92" /* 9 % of the entries */
#define THIN "gen:uniform:2048:1024:20"
#define GRID "gen:lap27:20"

static int is_wide(const char *spec, int64_t n, spmm_dtype_t dtype, uint32_t layout)
{
    spmm_matrix_t *m = inspect_generate(spec);
    const spmm_inspect_options_t options =
        OPTIONS(.device = "h200", .a_type = dtype, .n = &n, .n_count = 1, .layouts = layout,
                .compute = (spmm_compute_t)dtype); /* dense products on tensor cores are even faster */
    spmm_plan_t *plan = inspect_plan(m, &options);
    const int result = plan->parts[plan->variants[0].part_first].family == SPMMI_WIDE;
    spmm_plan_destroy(plan);
    spmm_matrix_destroy(m);
    return result;
}

static void many_nonzeros_without_structure_are_wide(void **state)
{
    (void)state;
    assert_true(is_wide(WIDE, 2048, SPMM_F32, SPMM_LAYOUTS_ROW_MAJOR));
}

static void others_are_not(void **state)
{
    (void)state;
    assert_false(is_wide(WIDE, 32, SPMM_F32, SPMM_LAYOUTS_ROW_MAJOR));
    assert_false(is_wide(WIDE, 2048, SPMM_F32, SPMM_LAYOUTS_COL_MAJOR));
    assert_false(is_wide(WIDE, 2048, SPMM_F16, SPMM_LAYOUTS_ROW_MAJOR));
    assert_false(is_wide(THIN, 2048, SPMM_F32, SPMM_LAYOUTS_ROW_MAJOR));
    assert_false(is_wide(GRID, 2048, SPMM_F32, SPMM_LAYOUTS_ROW_MAJOR));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_nonzeros_without_structure_are_wide),
        cmocka_unit_test(others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
