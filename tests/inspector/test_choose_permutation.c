/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices whose rows are in random order: when the default choice permutes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "format/base/alloc.h"
#include "format/plan.h"
#include "inspect_support.h"
#include "inspector/generate/generate.h"
#include "inspector/matrix/matrix.h"
#include "tests/support/tcblocks.h"

/* Returns whether row-major f32 products of n columns run tensor cores with permuted rows. */
static bool is_permuted(const spmm_matrix_t *m, int64_t n, double expected_calls)
{
    const spmm_inspect_options_t options =
        OPTIONS(.device = "h200", .n = &n, .n_count = 1, .expected_calls = expected_calls,
                .layouts = SPMM_LAYOUTS_ROW_MAJOR);
    spmm_plan_t *plan = inspect_plan(m, &options);
    const struct spmmi_part *const part = &plan->parts[plan->variants[0].part_first];
    const bool result = test_is_tcblocks(part->family) && (part->flags & SPMMI_PART_REORDERED) != 0;
    spmm_plan_destroy(plan);
    return result;
}

/* Makes a matrix and permutes its rows at random. */
static spmm_matrix_t *shuffled(const char *spec)
{
    spmm_matrix_t *m = inspect_generate(spec), *result = NULL;
    int32_t *order = spmmi_random_permutation(m->rows, 7);
    assert_non_null(order);
    assert_int_equal(spmm_matrix_permute(m, (const uint32_t *)order, NULL, 1, &result, NULL), SPMM_OK);
    spmmi_free(order);
    spmm_matrix_destroy(m);
    return result;
}

/* In the order of the matrix, panel and bcsr are predicted at more than twice the time of rows. */
static void shuffled_rows_are_permuted(void **state)
{
    static const int64_t n[] = {64, 128, 512};
    (void)state;
    spmm_matrix_t *band = shuffled("gen:band:8192:40"), *mesh = shuffled("gen:fem3:9:9:33");
    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        assert_true(is_permuted(band, n[i], 0));
        assert_true(is_permuted(mesh, n[i], 0));
    }
    assert_false(is_permuted(band, 128, 2)); /* a permutation does not repay */
    assert_true(is_permuted(band, 128, 1e9));
    spmm_matrix_destroy(mesh);
    spmm_matrix_destroy(band);
}

static void others_are_not(void **state)
{
    (void)state;
    spmm_matrix_t *sparse = shuffled("gen:poisson3:20:20:20"), *band = inspect_generate("gen:band:8192:40");
    assert_false(is_permuted(sparse, 128, 0));
    assert_false(is_permuted(band, 128, 0));
    spmm_matrix_destroy(band);
    spmm_matrix_destroy(sparse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffled_rows_are_permuted),
        cmocka_unit_test(others_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
