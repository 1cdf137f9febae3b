/* SPDX-License-Identifier: Apache-2.0 */
/* Checks measurements by a function of the caller: the target of each measured candidate, and what a failure
 * means. The measured times are synthetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include <spmm/inspector.h>

struct clock {
    int calls;
    uint32_t targets[64]; /* targets of the first 64 calls */
    spmm_status_t answer;
    int is_bad; /* whether the reported time is bad_us instead of 50 */
    double bad_us;
};

static spmm_status_t measure(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                             spmm_layout_t layout, double *us)
{
    struct clock *const clock = context;
    spmm_variant_info_t variant = {.struct_size = sizeof variant};
    (void)layout;
    assert_int_equal(spmm_plan_variant(plan, 0, &variant), SPMM_OK);
    assert_int_not_equal(spmm_plan_variant(plan, 1, &variant), SPMM_OK);
    assert_int_equal(spmm_plan_variant(plan, 0, &variant), SPMM_OK);
    assert_int_equal(variant.op, op);
    assert_true(n >= 1);
    if (clock->calls < 64)
        clock->targets[clock->calls] = variant.target;
    clock->calls++;
    *us = clock->is_bad ? clock->bad_us : 50;
    return clock->answer;
}

/* Returns a plan for n = 8 whose candidates the clock measures; NULL: no measurements. */
static spmm_plan_t *inspect(const char *device, struct clock *clock)
{
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    spmm_tuning_options_t tuning = SPMM_TUNING_OPTIONS_INIT;
    static const int64_t n = 8;
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    options.device = device;
    options.n = &n;
    options.n_count = 1;
    options.layouts = SPMM_LAYOUTS_ROW_MAJOR;
    options.tuning = &tuning;
    tuning.candidates = clock != NULL ? 20 : 0;
    tuning.measure = clock != NULL ? measure : NULL;
    tuning.measure_context = clock;
    assert_int_equal(spmm_matrix_generate("gen:fem3:5:5:5", &matrix, &diag), SPMM_OK);
    assert_int_equal(spmm_inspect(matrix, &options, &plan, &diag), SPMM_OK);
    spmm_matrix_destroy(matrix);
    return plan;
}

static int measured_entries(const spmm_plan_t *plan)
{
    spmm_trace_info_t t = {.struct_size = sizeof t};
    int count = 0;
    for (int i = 0; spmm_plan_trace(plan, i, &t) == SPMM_OK; i++)
        count += t.measured_us > 0;
    return count;
}

static void plans_equal(const spmm_plan_t *a, const spmm_plan_t *b)
{
    void *bytes[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    assert_int_equal(spmm_plan_write(a, NULL, &bytes[0], &sizes[0], NULL), SPMM_OK);
    assert_int_equal(spmm_plan_write(b, NULL, &bytes[1], &sizes[1], NULL), SPMM_OK);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    spmm_plan_bytes_free(bytes[0]);
    spmm_plan_bytes_free(bytes[1]);
}

static void without_a_device_predictions_decide(void **state)
{
    static const char *const devices[] = {"any", "cpu", "h200"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct clock none = {.answer = SPMM_ERR_NO_DEVICE};
        spmm_plan_t *const estimated = inspect(devices[i], NULL);
        spmm_plan_t *const plan = inspect(devices[i], &none);
        assert_true(none.calls >= 1 && none.calls <= 2); /* once per decision */
        plans_equal(plan, estimated);
        spmm_plan_destroy(plan);
        spmm_plan_destroy(estimated);
    }
}

static void without_a_candidate_that_runs_there_is_still_a_plan(void **state)
{
    struct clock clock = {.answer = SPMM_ERR_UNSUPPORTED};
    (void)state;
    spmm_plan_t *const plan = inspect("cpu", &clock);
    assert_true(clock.calls >= 2);
    assert_int_equal(measured_entries(plan), 0);
    spmm_plan_destroy(plan);
}

static void each_target_is_measured_as_such(void **state)
{
    static const struct {
        const char *device;
        uint32_t targets[2];
    } cases[] = {{"any", {0, 1}}, {"cpu", {1, 1}}, {"h200", {90, 90}}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct clock clock = {0};
        spmm_plan_t *const plan = inspect(cases[i].device, &clock);
        assert_true(measured_entries(plan) >= 2);
        spmm_plan_destroy(plan);
        assert_true(clock.calls >= 2 && clock.calls <= 64);
        assert_int_equal(clock.targets[0], cases[i].targets[0]);
        assert_int_equal(clock.targets[clock.calls - 1], cases[i].targets[1]);
    }
}

static void count_warning(void *context, spmm_log_level_t level, const char *text)
{
    assert_int_equal(level, SPMM_LOG_WARNING);
    assert_non_null(strstr(text, "counts as not measured"));
    ++*(int *)context;
}

/* The plan must be the same as with predictions only, and the log must give the reason. */
static void a_time_that_is_none_counts_as_not_measured(void **state)
{
    const double times[] = {0, -1, (double)NAN, (double)INFINITY, -(double)INFINITY};
    spmm_plan_t *const estimated = inspect("any", NULL);
    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct clock clock = {.is_bad = 1, .bad_us = times[i]};
        int warnings = 0;
        spmm_log_set(count_warning, &warnings, SPMM_LOG_WARNING);
        spmm_plan_t *const plan = inspect("any", &clock);
        spmm_log_set(NULL, NULL, SPMM_LOG_OFF);
        assert_int_equal(warnings, 1);
        assert_int_equal(measured_entries(plan), 0);
        plans_equal(plan, estimated);
        spmm_plan_destroy(plan);
    }
    spmm_plan_destroy(estimated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_device_predictions_decide),
        cmocka_unit_test(without_a_candidate_that_runs_there_is_still_a_plan),
        cmocka_unit_test(each_target_is_measured_as_such),
        cmocka_unit_test(a_time_that_is_none_counts_as_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
