/* SPDX-License-Identifier: Apache-2.0 */
/* Which part of the window, panel and bcsr families runs on the CPU, and the name of its kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/tcblock/tcblock_name.h"
#include "tcblock_sample.h"
#include "tests/support/products.h"

static void assert_runs(spmm_executor_t *executor, const struct test_matrix *a, spmm_dtype_t dtype,
                        const char *kernel)
{
    const struct test_product product = {.n = 6, .alpha = 1, .values = TEST_VALUES_REAL};
    test_product_check(executor, a, dtype, &product);
    struct test_dense b = test_product_b(a, dtype, &product), c = test_product_c(a, dtype, &product);
    spmm_executor_info_t info = {.struct_size = sizeof info};
    assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b.view, &c.view, &info, NULL), SPMM_OK);
    assert_string_equal(info.kernel, kernel);
    test_dense_free(&b);
    test_dense_free(&c);
}

static void kernels_say_what_they_are(void **state)
{
    (void)state;
    static const struct {
        struct tcblock_parts shape;
        spmm_compute_t compute;
        const char *force_kernel, *runs;
    } cases[] = {
        {{SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 16, 0},
         SPMM_COMPUTE_3XTF32,
         NULL,
         "cpu/window/packed/3xtf32"},
        {{SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 16, 1},
         SPMM_COMPUTE_F16,
         NULL,
         "cpu/window/dense/reordered/f16"},
        {{SPMM_FAMILY_PANEL, SPMM_SCHEDULE_DENSE, 128, 16, 0},
         SPMM_COMPUTE_TF32,
         NULL,
         "cpu/panel/dense/p128/tf32"},
        {{SPMM_FAMILY_PANEL, SPMM_SCHEDULE_PACKED, 64, 16, 0},
         SPMM_COMPUTE_F64,
         "cpu/panel/packed",
         "cpu/panel/packed/p64/f64"},
        {{SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 64, 1, 1},
         SPMM_COMPUTE_BF16,
         NULL,
         "cpu/bcsr/dense/p64/reordered/bf16"},
        {{SPMM_FAMILY_BCSR, SPMM_SCHEDULE_DENSE, 128, 1, 0},
         SPMM_COMPUTE_3XTF32,
         "cpu/bcsr/dense",
         "cpu/bcsr/dense/p128/3xtf32"},
        {{SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 16, 0},
         SPMM_COMPUTE_TF32,
         "cpu/rows/row-split",
         "cpu/rows/row-split"},
        {{SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_DENSE, 8, 16, 0},
         SPMM_COMPUTE_BF16,
         "cpu/tiled/whole",
         "cpu/tiled/whole/p256"},
    };
    struct test_matrix *a = test_matrix_named("arrow", TEST_VALUES_REAL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmm_plan_t *plan = tcblock_plan(a, cases[i].compute, &cases[i].shape);
        spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, cases[i].force_kernel);
        assert_runs(executor, a, plan->dtype, cases[i].runs);
        spmm_executor_destroy(executor);
        spmm_plan_destroy(plan);
    }
    test_matrix_free(a);
    const struct spmmi_part part = {.family = SPMM_FAMILY_PANEL,
                                    .schedule = SPMM_SCHEDULE_PACKED,
                                    .block_rows = 256,
                                    .flags = SPMMI_PART_REORDERED | SPMMI_PART_PERMUTES_OUTPUT};
    spmm_executor_info_t info; /* its field can hold the longest name */
    spmmi_tcblock_name("cuda", &part, SPMM_COMPUTE_3XTF32, 0, info.kernel, sizeof info.kernel);
    assert_string_equal(info.kernel, "cuda/panel/packed/p256/reordered/permuted/3xtf32");
}

static const struct tcblock_parts shuffled = {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 2, 1};

static void a_kernel_without_a_part_is_refused(void **state)
{
    (void)state;
    static const char *const kernels[] = {"cpu/window/dense", "cpu/panel/dense", "cpu/panel/packed",
                                          "cpu/bcsr/dense"};
    struct test_matrix *a = test_matrix_named("band", TEST_VALUES_REAL);
    spmm_plan_t *plan = tcblock_plan(a, SPMM_COMPUTE_3XTF32, &shuffled);
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        spmm_executor_options_t settings = SPMM_EXECUTOR_OPTIONS_INIT;
        settings.force_kernel = kernels[k];
        spmm_executor_t *executor = NULL;
        spmm_diag_t diag = {.text = ""};
        uint64_t host = 1;
        assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &settings, &executor, &diag),
                         SPMM_ERR_ARGUMENT);
        assert_null(executor);
        assert_non_null(strstr(diag.text, "the plan has no"));
        assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &settings, &host, NULL, NULL),
                         SPMM_ERR_ARGUMENT);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* If the plan has a part of rows, f32 products run it. A forced window kernel then runs in the variant's
 * compute type, which is f32 for a variant of rows. */
static void a_rows_part_of_the_plan_goes_first(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0};
    for (int rows_first = 0; rows_first < 2; rows_first++) {
        spmm_plan_t *plan = tcblock_plan(a, SPMM_COMPUTE_TF32, &shuffled), *other = test_plan_build(a, rows);
        spmm_plan_t *const joined = rows_first ? other : plan;
        test_plan_join(joined, rows_first ? plan : other);
        spmm_executor_t *executor = test_executor_make(joined, SPMM_DEVICE_CPU, 2, NULL);
        assert_runs(executor, a, SPMM_F32, "cpu/rows/row-split");
        spmm_executor_destroy(executor);
        executor = test_executor_make(joined, SPMM_DEVICE_CPU, 2, "cpu/window/packed");
        assert_runs(executor, a, SPMM_F32,
                    rows_first ? "cpu/window/packed/reordered/f32" : "cpu/window/packed/reordered/tf32");
        spmm_executor_destroy(executor);
        spmm_plan_destroy(joined);
    }
    test_matrix_free(a);
}

/* The name matches two parts. */
static void a_forced_kernel_runs_the_part_of_the_variant(void **state)
{
    (void)state;
    static const struct tcblock_parts plain = {SPMM_FAMILY_WINDOW, SPMM_SCHEDULE_PACKED, 8, 16, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = tcblock_plan(a, SPMM_COMPUTE_TF32, &shuffled);
    for (uint32_t i = 0; i < plan->variant_count; i++)
        plan->variants[i].n_min = plan->variants[i].n_max; /* the other part is for small n */
    test_plan_join(plan, tcblock_plan(a, SPMM_COMPUTE_TF32, &plain));
    spmm_executor_t *executor = test_executor_make(plan, SPMM_DEVICE_CPU, 2, "cpu/window/packed");
    assert_runs(executor, a, SPMM_F32, "cpu/window/packed/tf32");
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_say_what_they_are),
        cmocka_unit_test(a_kernel_without_a_part_is_refused),
        cmocka_unit_test(a_rows_part_of_the_plan_goes_first),
        cmocka_unit_test(a_forced_kernel_runs_the_part_of_the_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
