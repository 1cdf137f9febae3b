/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of sparse products: at most the reported bytes, and no allocation before the budget is
 * checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/spgemm/spgemm_scratch.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/sparse_scene.h"

#define ROUNDED 1024 /* rounding of a few blocks to 64 bytes each */

TEST_PATTERN(near_diagonal, j / 8 == i / 8)

static const struct test_pattern square = {"near the diagonal", 2000, 2000, near_diagonal};

/* Makes the units of the square's lower triangle. */
static spmm_status_t units_within(uint64_t held, uint64_t budget, uint64_t *bytes)
{
    const struct spmmi_spgemm plan = {.piece_products = 20}; /* small enough to cut rows */
    struct spmmi_spgemm_stage stage;
    struct test_sparse_scene scene = test_sparse_scene_of(&square, &square, 1, &stage);
    test_counting_peak_reset();
    const spmm_status_t status = spmmi_spgemm_units(&stage, &plan, held, budget, bytes, NULL);
    assert_in_range(test_counting_peak(), 0, (budget > 0 ? budget - held : *bytes) + ROUNDED);
    spmmi_spgemm_stage_free(&stage);
    test_sparse_scene_free(&scene);
    return status;
}

static void units_ask_before_they_take(void **state)
{
    (void)state;
    uint64_t needed = 0, bytes = 0;
    assert_int_equal(units_within(0, 0, &needed), SPMM_OK);
    assert_true(needed > 100000);
    for (uint64_t held = 0; held < 2000; held += 999) {
        assert_int_equal(units_within(held, held + needed, &bytes), SPMM_OK);
        assert_int_equal(bytes, needed);
        for (uint64_t budget = held + needed - 1; budget > held + 30000; budget -= 30000)
            assert_int_equal(units_within(held, budget, &bytes), SPMM_ERR_PLAN_BUDGET);
    }
}

/* Many columns and short rows: except for the marks, nothing has 4 bytes per column. */
static void lists_are_as_long_as_rows(void **state)
{
    (void)state;
    enum { COLS = 100000, THREADS = 2 };
    const uint64_t bytes = spmmi_spgemm_scratch_bytes(COLS, THREADS, 7),
                   marks = spmmi_spgemm_scratch_bytes(COLS, THREADS, SPMMI_NO_LISTS);
    assert_in_range(marks, THREADS * COLS * sizeof(uint32_t), bytes - 1);
    assert_in_range(bytes, marks, marks + THREADS * COLS);
    test_counting_peak_reset();
    struct spmmi_spgemm_scratch *const scratch = spmmi_spgemm_scratch_new(COLS, THREADS, 7);
    assert_non_null(scratch);
    assert_in_range(test_counting_peak(), marks, bytes + ROUNDED);
    spmmi_spgemm_scratch_free(scratch, THREADS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_ask_before_they_take),
                                       cmocka_unit_test(lists_are_as_long_as_rows)};
    test_counting_allocator_set();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
