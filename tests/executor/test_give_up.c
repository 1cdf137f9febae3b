/* SPDX-License-Identifier: Apache-2.0 */
/* Executors with less memory than all parts of a plan need: which parts they give up, and which parts then
 * run the products. */
#include <stdio.h>

#include "executor/give_up.h"
#include "format/base/alloc.h"
#include "wanted_support.h"

#define MIDDLE 24 /* tiled/whole runs up to this n in this plan, tiled/segmented larger n */
#define TOLD_BYTES 256

/* Returns a plan with a part of rows and two tiled parts, any of which can be given up. */
static spmm_plan_t *plan_of_three(const struct test_matrix *a)
{
    const struct test_plan_options cut = {SPMM_F32, SPMM_SCHEDULE_SEGMENTED, 48, 0, 0};
    spmm_plan_t *plan = plan_of(a), *more = test_plan_whole(a, cut, a->name);
    plan->variants[1].n_max = MIDDLE;
    ranges_set(more, MIDDLE + 1, SPMMI_N_MAX);
    test_plan_join(plan, more);
    return plan;
}

/* Gives each variant a trace entry per part with the predicted time us[variant][part]. */
static void times_set(spmm_plan_t *plan, const double us[3][3])
{
    const uint32_t count = plan->variant_count;
    spmmi_free(plan->trace);
    plan->trace = spmmi_alloc_zero((uint64_t)count * count, sizeof *plan->trace);
    assert_non_null(plan->trace);
    plan->trace_count = count * count;
    for (uint32_t t = 0; t < plan->trace_count; t++) {
        const struct spmmi_part *part = &plan->parts[t % count];
        struct spmmi_trace *step = &plan->trace[t];
        step->variant = t / count;
        step->family = part->family;
        step->schedule = part->schedule;
        step->predicted_us = us[t / count][t % count];
    }
}

static uint64_t bytes_needed(const spmm_plan_t *plan, spmm_executor_options_t options)
{
    uint64_t bytes = 0;
    options.struct_size = sizeof options;
    assert_int_equal(spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, &bytes, NULL, NULL),
                     SPMM_OK);
    return bytes;
}

/* Of two parts of about the same size, the executor gives up the one whose products lose less. Products of
 * the other parts do not change. */
static void within_a_budget_the_part_that_loses_least_is_given_up(void **state)
{
    static const double us[2][3][3] = {{{1, 99, 99}, {4, 1, 2}, {4, 3, 1}},
                                       {{1, 99, 99}, {9, 1, 3}, {9, 2, 1}}};
    const struct test_product products[] = {{.n = MIDDLE, .alpha = 1, .values = TEST_VALUES_REAL},
                                            {.n = MIDDLE + 9, .alpha = 1, .values = TEST_VALUES_REAL}};
    static const char *const kernels[] = {"cpu/tiled/segmented", "cpu/tiled/whole"};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    spmm_executor_t *all = executor_for(plan, (spmm_executor_options_t){.threads = 0});
    const uint64_t needed = bytes_needed(plan, (spmm_executor_options_t){.threads = 0});
    for (int gone = 0; gone < 2; gone++) {
        const spmm_executor_options_t options = {.host_budget_bytes = needed - 1};
        char kernel[64];
        struct test_dense c;
        times_set(plan, us[gone]);
        spmm_executor_t *executor = executor_for(plan, options);
        expect_same(all, executor, a, &narrow);
        expect_same(all, executor, a, &products[1 - gone]);
        assert_int_equal(run(executor, a, &products[gone], kernel, &c), 1);
        assert_non_null(strstr(kernel, kernels[gone]));
        test_dense_free(&c);
        test_product_check(executor, a, SPMM_F32, &products[gone]);
        assert_true(bytes_needed(plan, options) < needed && host_bytes(plan, options) < needed);
        spmm_executor_destroy(executor);
    }
    spmm_executor_destroy(all);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* If only the part of rows fits, it runs all products. If it does not fit, or the kernel is forced, there is
 * no executor. */
static void a_budget_below_a_part_refuses_it(void **state)
{
    static const double us[3][3] = {{1, 9, 9}, {9, 1, 9}, {9, 9, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    times_set(plan, us);
    const uint64_t rows = bytes_needed(plan, (spmm_executor_options_t){.n_max = NARROW}),
                   tiled = bytes_needed(plan, (spmm_executor_options_t){.n_min = MIDDLE + 1});
    const spmm_executor_options_t least = {.host_budget_bytes = (rows + tiled) / 2},
                                  none = {.host_budget_bytes = rows - 1};
    spmm_executor_options_t forced = least;
    assert_true(rows < tiled);
    forced.force_kernel = "tiled";
    assert_true(bytes_needed(plan, least) <= least.host_budget_bytes);
    spmm_executor_t *executor = executor_for(plan, least);
    test_product_check(executor, a, SPMM_F32, &wide);
    spmm_executor_destroy(executor);
    assert_int_equal(refused(plan, none, "are allowed"), SPMM_ERR_PLAN_BUDGET);
    assert_int_equal(refused(plan, forced, "are allowed"), SPMM_ERR_PLAN_BUDGET);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static struct spmmi_typed_plan typed_of(const spmm_plan_t *plan)
{
    struct spmmi_typed_plan typed;
    assert_int_equal(spmmi_typed_plan(plan, plan->dtype, &typed, NULL), SPMM_OK);
    return typed;
}

/* If all lose the same, the largest part is given up. A part whose size overflows goes before all others. The
 * last part stays. */
static void what_is_given_up(void **state)
{
    static const double us[3][3] = {{1, 2, 2}, {2, 1, 2}, {2, 2, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    times_set(plan, us);
    for (uint32_t large = 0; large <= 2; large++)
        for (int is_too_large = 0; is_too_large < 2; is_too_large++) {
            struct spmmi_typed_plan typed = typed_of(plan);
            uint64_t bytes[SPMMI_PART_MAX] = {100, 100, 100}, given_up = 0;
            bytes[large] = is_too_large ? SPMMI_TOO_LARGE : 101;
            assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
            assert_int_equal(given_up, 1u << large);
            assert_true(typed.plan.variants[large].part_first != large);
            assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
            assert_false(spmmi_plan_give_up(&typed, bytes, &given_up));
            for (uint32_t v = 1; v < 3; v++)
                assert_int_equal(typed.plan.variants[v].part_first, typed.plan.variants[0].part_first);
        }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Measured times count if both parts have one. Here they contradict the predictions. */
static void measured_times_go_before_predictions(void **state)
{
    static const double us[3][3] = {{1, 99, 99}, {9, 1, 2}, {9, 3, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    const uint64_t bytes[SPMMI_PART_MAX] = {100, 100, 100};
    for (int is_measured = 0; is_measured < 2; is_measured++) {
        uint64_t given_up = 0;
        times_set(plan, us);
        plan->trace[4].measured_us = 1; /* variant 1 by its own part */
        plan->trace[5].measured_us = is_measured ? 8 : 0;
        struct spmmi_typed_plan typed = typed_of(plan);
        assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
        assert_int_equal(given_up, is_measured ? 4 : 2);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* Of several candidates of a family and schedule, the fastest whose time is known counts, in any order. */
static void the_fastest_candidate_of_a_kernel_counts(void **state)
{
    static const double us[3][3] = {{1, 9, 9}, {3, 1, 9}, {9, 2, 1}};
    static const struct {
        double us; /* of another candidate: rows for variant 1 */
        uint64_t given_up;
    } cases[] = {{1.5, 2}, {5, 4}, {0, 4}};
    const uint64_t bytes[SPMMI_PART_MAX] = {100, 100, 100};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    times_set(plan, us);
    struct spmmi_trace *const steps = plan->trace, *trace = spmmi_alloc(10, sizeof *trace);
    assert_non_null(trace);
    plan->trace = trace;
    plan->trace_count = 10;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const size_t is_last = i % 2;
        struct spmmi_trace *const other = &trace[is_last ? 9 : 0];
        uint64_t given_up = 0;
        memcpy(trace + 1 - is_last, steps, 9 * sizeof *steps);
        *other = steps[3];
        other->predicted_us = cases[i / 2].us;
        struct spmmi_typed_plan typed = typed_of(plan);
        assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
        assert_int_equal(given_up, cases[i / 2].given_up);
    }
    spmmi_free(steps);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A part without a time counts as the slowest candidate. Without any times, no part loses anything. */
static void parts_without_times(void **state)
{
    static const struct {
        double us[3][3]; /* 0: not known */
        uint64_t given_up;
    } cases[] = {{{{1, 99, 99}, {6, 1, 0}, {5, 5, 1}}, 4},
                 {{{1, 99, 99}, {6, 1, 0}, {7, 7, 1}}, 2},
                 {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 1},
                 {{{0, 9, 9}, {9, 1, 9}, {9, 9, 1}}, 1}};
    const uint64_t bytes[SPMMI_PART_MAX] = {100, 100, 100};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t given_up = 0;
        times_set(plan, cases[i].us);
        plan->trace[3].family = SPMM_FAMILY_WINDOW; /* the plan has no part of this candidate of variant 1 */
        struct spmmi_typed_plan typed = typed_of(plan);
        assert_true(spmmi_plan_give_up(&typed, bytes, &given_up));
        assert_int_equal(given_up, cases[i].given_up);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A part that several variants share is counted once and given up for all of them. */
static void a_part_of_two_variants(void **state)
{
    static const double us[3][3] = {{1, 99, 99}, {9, 1, 9}, {9, 2, 1}};
    static const struct test_product products[] = {{.n = MIDDLE + 9, .alpha = 1, .values = TEST_VALUES_REAL},
                                                   {.n = 3 * MIDDLE, .alpha = 1, .values = TEST_VALUES_REAL}};
    static const char *const kernels[] = {"cpu/tiled/whole", "cpu/rows"}; /* one variant has no times */
    int64_t counts[2];
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    times_set(plan, us);
    const spmm_executor_options_t options = {
        .host_budget_bytes = bytes_needed(plan, (spmm_executor_options_t){.threads = 0}) - 1};
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        if (is_shared) {
            plan->variants[3] = plan->variants[2];
            plan->variants[2].n_max = 2 * MIDDLE;
            plan->variants[3].n_min = 2 * MIDDLE + 1;
            plan->variant_count = 4;
        }
        spmmi_alloc_fail_at(-1, 0);
        (void)bytes_needed(plan, options);
        counts[is_shared] = spmmi_alloc_count();
    }
    assert_int_equal(counts[0], counts[1]);
    spmm_executor_t *executor = executor_for(plan, options);
    for (int i = 0; i < 2; i++) {
        char kernel[64];
        struct test_dense c;
        assert_int_equal(run(executor, a, &products[i], kernel, &c), 1);
        assert_non_null(strstr(kernel, kernels[i]));
        test_dense_free(&c);
        test_product_check(executor, a, SPMM_F32, &products[i]);
    }
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

static void warnings_keep(void *context, spmm_log_level_t level, const char *text)
{
    if (level == SPMM_LOG_WARNING && strstr(text, "memory budget") != NULL)
        (void)snprintf(context, TOLD_BYTES, "%s", text);
}

/* What was given up is a warning, and the reason why a product of other types is refused. */
static void what_was_given_up_is_told(void **state)
{
    static const double us[3][3] = {{1, 1, 1}, {9, 1, 9}, {9, 9, 1}};
    char told[TOLD_BYTES] = "";
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    const spmm_dense_t b = {NULL, a->cols, 4, 4, SPMM_ROW_MAJOR, SPMM_F16};
    const spmm_dense_t c = {NULL, a->rows, 4, 4, SPMM_ROW_MAJOR, SPMM_F16};
    spmm_executor_options_t options = {.threads = 0};
    times_set(plan, us);
    const uint64_t needed = bytes_needed(plan, options);
    for (int is_small = 0; is_small < 2; is_small++) {
        spmm_executor_info_t info = {.struct_size = sizeof info};
        spmm_diag_t diag = {.text = ""};
        spmm_log_set(warnings_keep, told, SPMM_LOG_WARNING);
        options.host_budget_bytes = needed - (uint64_t)is_small;
        spmm_executor_t *executor = executor_for(plan, options);
        spmm_log_set(NULL, NULL, SPMM_LOG_OFF);
        assert_string_equal(told, is_small
                                      ? "the memory budget is too small for all kernels of the plan: 1 of "
                                        "its 3 variants run other kernels"
                                      : "");
        assert_int_equal(spmm_executor_info(executor, SPMM_OP_N, &b, &c, &info, &diag),
                         is_small ? SPMM_ERR_NO_VARIANT : SPMM_OK);
        assert_non_null(strstr(diag.text, is_small ? "the memory budget is too small for all parts" : ""));
        spmm_executor_destroy(executor);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A failing allocation is no part that is too large. */
static void without_memory_nothing_is_counted(void **state)
{
    static const double us[3][3] = {{1, 9, 9}, {9, 1, 9}, {9, 9, 1}};
    spmm_status_t status = SPMM_ERR_MEMORY;
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    times_set(plan, us);
    options.host_budget_bytes = bytes_needed(plan, (spmm_executor_options_t){.threads = 0}) - 1;
    for (int64_t k = 0; status != SPMM_OK; k++) {
        spmmi_alloc_fail_at(k, 0);
        status = spmm_executor_memory_bytes(plan, SPMM_DEVICE_CPU, &options, NULL, NULL, NULL);
        const int64_t count = spmmi_alloc_count();
        spmmi_alloc_fail_at(-1, 0);
        assert_int_equal(status, count > k ? SPMM_ERR_MEMORY : SPMM_OK);
    }
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

/* A part that permutes the output defines another order of C, so it cannot replace another part. */
static void parts_that_permute_output_are_no_successors(void **state)
{
    static const double us[3][3] = {{1, 2, 2}, {3, 1, 2}, {3, 2, 1}};
    (void)state;
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    spmm_plan_t *plan = plan_of_three(a);
    const uint64_t bytes[SPMMI_PART_MAX] = {100, 100, 100};
    uint64_t given_up = 0;
    times_set(plan, us);
    plan->parts[1].flags |= SPMMI_PART_PERMUTES_OUTPUT;
    plan->parts[2].flags |= SPMMI_PART_PERMUTES_OUTPUT;
    struct spmmi_typed_plan typed = typed_of(plan);
    assert_false(spmmi_plan_give_up(&typed, bytes, &given_up));
    assert_int_equal(given_up, 0);
    spmm_plan_destroy(plan);
    test_matrix_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_a_budget_the_part_that_loses_least_is_given_up),
        cmocka_unit_test(a_budget_below_a_part_refuses_it),
        cmocka_unit_test(what_is_given_up),
        cmocka_unit_test(measured_times_go_before_predictions),
        cmocka_unit_test(the_fastest_candidate_of_a_kernel_counts),
        cmocka_unit_test(parts_without_times),
        cmocka_unit_test(a_part_of_two_variants),
        cmocka_unit_test(what_was_given_up_is_told),
        cmocka_unit_test(without_memory_nothing_is_counted),
        cmocka_unit_test(parts_that_permute_output_are_no_successors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
