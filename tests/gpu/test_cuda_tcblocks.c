/* SPDX-License-Identifier: Apache-2.0 */
/* Every compute type of the window, panel and bcsr families on the GPU against the long double reference
 * and the CPU twin, with all matrices, widths, layouts, gaps and factors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cuda_product.h"
#include "tcblock_cases.h"

/* Numbers of columns: tiles of 8 and 16 bytes per lane, once and twice, for all types; odd numbers; more
 * than one pass. */
static const int64_t widths[] = {1, 3, 8, 9, 16, 17, 24, 32, 33, 40, 64, 72, 100, 128, 130, 256, 300};
#define WIDTH_COUNT ((int)(sizeof widths / sizeof widths[0]))

static void every_matrix(enum test_values values)
{
    int turn = (int)values;
    for (int m = 0; m < test_matrix_count(); m++) {
        struct test_matrix *a = test_matrix_make(m, values);
        for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
            const struct test_tcblock_case of = test_tcblock_case(i);
            struct test_cuda_pair pair = test_cuda_pair_make(test_tcblock_plan(a, &of), NULL);
            for (int repeat = 0; repeat < 3; repeat++, turn++) {
                const struct test_product product =
                    test_cuda_turn(widths[turn % WIDTH_COUNT], turn % 5 < 3 ? 0 : turn, turn, values);
                /* Integer products are exact, so that the comparison with the twin would add nothing. */
                test_cuda_product_check(pair.gpu, values == TEST_VALUES_REAL ? pair.cpu : NULL, a, of.dtype,
                                        &product);
            }
            test_cuda_pair_free(&pair);
        }
        test_matrix_free(a);
    }
}

static void every_matrix_meets_the_error_bound(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_REAL);
}

static void integers_are_exact(void **state)
{
    (void)state;
    every_matrix(TEST_VALUES_INTEGER);
}

/* Checks every step-th pair of width and alignment, for each type and shape. */
static void check_widths(int step, int has_bcsr)
{
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        if (of.family == SPMM_FAMILY_BCSR && !has_bcsr)
            continue;
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int w = 0; w < 2 * WIDTH_COUNT; w += step) {
            struct test_product product = test_cuda_plain(widths[w / 2], 0);
            product.shift = w % 2;
            test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* Runs each instance. */
static void every_width_meets_the_error_bound(void **state)
{
    (void)state;
    check_widths(1, 1);
}

/* Runs the cases that are affordable if kernels are emulated, without bcsr, which the emulator lacks. */
static void windows_and_panels_meet_the_error_bound(void **state)
{
    (void)state;
    check_widths(13, 0);
}

/* A launch processes at most 32,768 columns, and the slots of cut units are reused. If rows are whole
 * words of 16 bytes, more thread blocks multiply than can run at once; panels then have one stage. */
static void products_wider_than_a_launch_meet_the_bound(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_SHAPES; i++) {
        const struct test_tcblock_case of = test_tcblock_case(i);
        const struct test_product product = test_cuda_plain(32768 + (i % 4 == 0 ? 8 : 5), i % 2 == 0 ? 0 : 3);
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* More row blocks of 64 rows than two thread blocks per multiprocessor, for up to 132 multiprocessors
 * (spmmi_panel_has_ring). */
TEST_PATTERN(strided, (j + 37 * i) % 97 == 0)
static const struct test_pattern many_row_blocks = {"many row blocks", 17000, 400, strided};

static void panels_of_one_stage_meet_the_bound(void **state)
{
    static const struct {
        spmm_dtype_t dtype;
        spmm_compute_t compute;
        int64_t widths[2];
    } types[] = {{SPMM_F32, SPMM_COMPUTE_TF32, {32, 72}},
                 {SPMM_F32, SPMM_COMPUTE_3XTF32, {32, 72}},
                 {SPMM_F16, SPMM_COMPUTE_F16, {32, 64}},
                 {SPMM_BF16, SPMM_COMPUTE_BF16, {32, 64}}};
    (void)state;
    struct test_matrix *a = test_matrix_of(&many_row_blocks, TEST_VALUES_REAL);
    for (int i = 0; i < 2 * 4; i++) {
        const struct test_tcblock_case of = {types[i / 2].dtype,
                                             types[i / 2].compute,
                                             SPMM_FAMILY_PANEL,
                                             i % 2 == 0 ? SPMM_SCHEDULE_DENSE : SPMM_SCHEDULE_PACKED,
                                             64,
                                             1000,
                                             0};
        spmm_executor_t *executor = test_tcblock_executor(a, &of);
        for (int w = 0; w < 2; w++) {
            const struct test_product product = test_cuda_plain(types[i / 2].widths[w], 0);
            test_cuda_product_check(executor, NULL, a, of.dtype, &product);
        }
        spmm_executor_destroy(executor);
    }
    test_matrix_free(a);
}

/* An executor holds two parts, one for few columns and one for more. */
static void two_parts_of_a_plan_take_turns(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    for (int i = 0; i < TEST_TCBLOCK_CASES; i++) {
        /* Another shape with the same type, in most cases of another family. */
        const struct test_tcblock_case of[2] = {test_tcblock_case(i),
                                                test_tcblock_case(i + 4 * TEST_TCBLOCK_TYPES)};
        spmm_plan_t *plan = test_tcblock_plan(a, &of[0]), *more = test_tcblock_plan(a, &of[1]);
        for (uint32_t v = 0; v < plan->variant_count; v++) {
            plan->variants[v].n_max = 32;
            more->variants[v].n_min = 33;
        }
        test_plan_join(plan, more);
        spmm_executor_t *executor = test_executor_make(plan, 0, 0, NULL);
        for (int turn = 0; turn < 4; turn++) {
            struct test_product product = test_cuda_plain(turn % 2 == 0 ? 32 : 33, turn);
            product.op = (spmm_op_t)(turn / 2);
            test_cuda_product_check(executor, NULL, a, of[0].dtype, &product);
        }
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_meets_the_error_bound),
        cmocka_unit_test(windows_and_panels_meet_the_error_bound),
        cmocka_unit_test(every_matrix_meets_the_error_bound),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(products_wider_than_a_launch_meet_the_bound),
        cmocka_unit_test(panels_of_one_stage_meet_the_bound),
        cmocka_unit_test(two_parts_of_a_plan_take_turns),
    };
    if (!test_cuda_begin(argc, argv))
        return TEST_SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
