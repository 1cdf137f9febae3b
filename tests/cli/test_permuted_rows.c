/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the rows of C depends on the op of the product, as a plan file may have one order per op. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/plan_build.h"
#include "tools/compute/permuted_rows.h"

/* The numbers of rows and columns differ, so that the permutation of one op is too short for the other. */
static void each_op_has_its_own_order(void **state)
{
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 1, 0};
    int found = 0;
    (void)state;
    for (int i = 0; i < test_matrix_count(); i++) {
        struct test_matrix *a = test_matrix_make(i, TEST_VALUES_REAL);
        spmm_plan_t *plan = test_plan_build(a, options);
        test_plan_reorder(plan, 5, 1);
        for (int part = 0; part < (int)plan->part_count; part++) {
            const struct permuted_rows order = permuted_rows_of(plan, plan->parts[part].op);
            const uint32_t *expected = NULL;
            int64_t count = 0;
            if (spmm_plan_row_permutation(plan, part, &expected, &count) == SPMM_OK)
                found += plan->parts[part].op == SPMM_OP_T && plan->rows != plan->cols;
            assert_null(order.b);
            assert_ptr_equal(order.c, expected);
        }
        spmm_plan_destroy(plan);
        test_matrix_free(a);
    }
    assert_true(found > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_op_has_its_own_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
