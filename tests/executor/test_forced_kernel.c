/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the caller names: names from spmm_executor_info, parts of such names, and names of other
 * parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "executor/forced_kernel.h"
#include "tests/support/plan_build.h"
#include "tests/support/products.h"

#define NAME_BYTES 64

static spmm_status_t force(const spmm_plan_t *plan, const char *kernel, spmm_executor_t **executor,
                           spmm_diag_t *diag)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    uint64_t bytes = 0;
    options.threads = 2;
    options.force_kernel = kernel;
    const spmm_status_t status = spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, executor, diag);
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &bytes, NULL, NULL), status);
    return status;
}

/* Writes the name of the kernel that runs if `kernel` is forced. */
static void named(const spmm_plan_t *plan, const char *kernel, spmm_op_t op, int64_t n, char name[NAME_BYTES])
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    spmm_executor_info_t info = {.struct_size = sizeof info};
    if (force(plan, kernel, &executor, &diag) != SPMM_OK)
        fail_msg("%s: %s", kernel, diag.text);
    const int64_t k = op == SPMM_OP_N ? plan->cols : plan->rows;
    const int64_t m = op == SPMM_OP_N ? plan->rows : plan->cols;
    const spmm_dense_t b = {NULL, k, n, n, SPMM_ROW_MAJOR, plan->dtype};
    const spmm_dense_t c = {NULL, m, n, n, SPMM_ROW_MAJOR, plan->dtype};
    assert_int_equal(spmm_executor_info(executor, op, &b, &c, &info, &diag), SPMM_OK);
    (void)snprintf(name, NAME_BYTES, "%s", info.kernel);
    spmm_executor_destroy(executor);
}

/* Checks that the printed name forces the same kernel without its target, and after removing its last words
 * one by one. */
static void is_taken(const spmm_plan_t *plan, spmm_op_t op, int64_t n)
{
    char printed[NAME_BYTES], again[NAME_BYTES], part[NAME_BYTES];
    named(plan, NULL, op, n, printed);
    (void)snprintf(part, sizeof part, "%s", printed);
    for (char *slash = part + strlen(part); slash != NULL; slash = strrchr(part, '/')) {
        *slash = '\0';
        if (strchr(part, '/') == NULL)
            break;
        named(plan, part, op, n, again);
        assert_string_equal(again, printed);
    }
    named(plan, strchr(printed, '/') + 1, op, n, again);
    assert_string_equal(again, printed);
}

static void is_refused(const spmm_plan_t *plan, const char *kernel, const char *sentence)
{
    spmm_executor_t *executor = NULL;
    spmm_diag_t diag;
    if (force(plan, kernel, &executor, &diag) != SPMM_ERR_ARGUMENT || strstr(diag.text, sentence) == NULL)
        fail_msg("%s: %s: %s", kernel, spmm_status_name(diag.status), diag.text);
    assert_null(executor);
}

/* Returns a plan for the CPU, so that the CPU runs its parts. */
static spmm_plan_t *plan_make(const struct test_matrix *a, struct test_plan_options options)
{
    spmm_plan_t *plan = test_plan_build(a, options);
    for (uint32_t i = 0; i < plan->variant_count; i++)
        plan->variants[i].target = 1;
    return plan;
}

static void printed_names_are_taken(void **state)
{
    static const struct test_plan_options options[] = {
        {SPMM_F32, SPMM_SCHEDULE_ROW_SPLIT, 16, 1, 0}, {SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0},
        {SPMM_F16, SPMM_SCHEDULE_WHOLE, 0, 1, 0},      {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 7, 1, 0},
        {SPMM_F32, SPMM_SCHEDULE_DENSE, 4, 1, 0},      {SPMM_BF16, SPMM_SCHEDULE_PACKED, 4, 1, 0},
        {SPMM_F16, SPMM_SCHEDULE_ROW_SPLIT, 16, 0, 0},
    };
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        for (int turn = 0; turn < 3; turn++) {
            spmm_plan_t *plan = plan_make(a, options[i]);
            if (turn == 1)
                test_plan_reorder(plan, 5, !options[i].has_transpose);
            if (turn == 2)
                (void)test_plan_split_long_rows(plan, test_long_rows_min(a));
            is_taken(plan, SPMM_OP_N, 9);
            if (options[i].has_transpose)
                is_taken(plan, SPMM_OP_T, 9);
            spmm_plan_destroy(plan);
        }
    test_matrix_free(a);
}

static void names_of_other_parts_are_refused(void **state)
{
    static const struct test_plan_options segments = {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 7, 0, 0};
    static const struct test_plan_options dense = {SPMM_F32, SPMM_SCHEDULE_DENSE, 4, 0, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *tiled = plan_make(a, segments), *window = plan_make(a, dense);
    (void)state;
    is_refused(tiled, "cpu/tiled/segmented-48", "the plan has \"cpu/tiled/segmented-7/p32\", not");
    is_refused(tiled, "tiled/segmented-7/p64", "not \"tiled/segmented-7/p64\"");
    is_refused(tiled, "tiled/segmented-7/p32/reordered", "the plan has");
    is_refused(tiled, "tiled/segmented/p32", "the plan has");
    is_refused(tiled, "tiled/segmented-7/p3", "the plan has");
    is_refused(tiled, "tiled/segmented/r8", "the plan has");
    is_refused(tiled, "tiled/segmented-7/p32/", "the plan has");
    is_refused(tiled, "rows/row-split/v4l8", "the plan has \"cpu/rows/row-split\", not");
    is_refused(window, "window/dense/tf32", "the plan has \"cpu/window/dense/3xtf32\", not");
    spmm_plan_destroy(window);
    spmm_plan_destroy(tiled);
    test_matrix_free(a);
}

/* The plan has row blocks of 32 rows for op N, of 64 rows for op N, and a part of rows for both ops. A full
 * name or a family alone chooses the part. */
static void a_name_chooses_among_the_parts(void **state)
{
    static const struct test_plan_options whole = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    static const struct test_plan_options rows = {SPMM_F32, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0};
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_make(a, rows), *more = plan_make(a, whole);
    char name[NAME_BYTES];
    (void)state;
    test_plan_join(plan, more);
    more = plan_make(a, whole);
    more->parts[0].block_rows = 64;
    test_plan_join(plan, more);
    static const struct {
        const char *kernel;
        spmm_op_t op;
        const char *runs;
    } cases[] = {
        {"tiled", SPMM_OP_N, "cpu/tiled/whole/p32"},
        {"tiled", SPMM_OP_T, "cpu/tiled/whole/p256"}, /* the family makes this part */
        {"tiled/whole/p64", SPMM_OP_N, "cpu/tiled/whole/p64"},
        {"tiled/whole/p64", SPMM_OP_T, "cpu/tiled/whole/p256"},
        {"cpu/tiled/whole/p32", SPMM_OP_N, "cpu/tiled/whole/p32"},
        {"rows", SPMM_OP_N, "cpu/rows/nonzero-split"},
        {"cpu/rows", SPMM_OP_T, "cpu/rows/nonzero-split"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        named(plan, cases[i].kernel, cases[i].op, 9, name);
        assert_string_equal(name, cases[i].runs);
    }
    spmm_plan_destroy(plan);
    plan = plan_make(a, whole);
    named(plan, "rows", SPMM_OP_N, 9, name); /* the device's first kernel of the family */
    assert_string_equal(name, "cpu/rows/row-split");
    is_refused(plan, "window", "the plan has no part for \"window\" and op N");
    is_refused(plan, "cuda/tiled", "is no kernel of the CPU");
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A part of long rows belongs to the first family, but cannot run alone. A schedule in the name must be the
 * part's schedule. */
static void which_parts_a_name_fits(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_DENSE, 7, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    struct spmmi_forced forced;
    assert_int_equal(test_plan_split_long_rows(plan, 8), 1);
    const struct spmmi_part *long_rows = &plan->parts[1];
    struct spmmi_part alone = *long_rows;
    alone.flags = 0;
    static const struct {
        const char *name;
        int fit;
    } cases[] = {{"rows", 2}, {"rows/nonzero-split", 2}, {"rows/row-split", 0}, {"tiled", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        spmmi_forced_read(spmmi_cpu_kernels, cases[i].name, &forced);
        assert_int_equal(spmmi_forced_fit(&forced, plan, &alone, SPMMI_PART_MADE), cases[i].fit);
        assert_int_equal(spmmi_forced_fit(&forced, plan, long_rows, 1), 0);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* The plan defines the order of the rows of C. A kernel that keeps the order of A would change it. */
static void a_permuted_c_stays_permuted(void **state)
{
    (void)state;
    struct test_matrix *a = test_matrix_named("rows of 0 to 8", TEST_VALUES_REAL);
    const struct test_plan_options options = {SPMM_F32, SPMM_SCHEDULE_WHOLE, 0, 0, 0};
    spmm_plan_t *plan = test_plan_build(a, options);
    test_plan_reorder(plan, 9, 1);
    is_refused(plan, "rows/row-split", "permutes the rows of C");
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_names_are_taken),        cmocka_unit_test(names_of_other_parts_are_refused),
        cmocka_unit_test(a_name_chooses_among_the_parts), cmocka_unit_test(which_parts_a_name_fits),
        cmocka_unit_test(a_permuted_c_stays_permuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
