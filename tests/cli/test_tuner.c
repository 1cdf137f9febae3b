/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of spmm-inspect --tune, called as by the inspector. The test does not judge times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/tune/tuner.h"

static spmm_plan_t *plan_for(const char *matrix_text, spmm_inspect_options_t *options)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    assert_int_equal(spmm_matrix_generate(matrix_text, &matrix, &diag), SPMM_OK);
    assert_int_equal(spmm_inspect(matrix, options, &plan, &diag), SPMM_OK);
    spmm_matrix_destroy(matrix);
    return plan;
}

static void every_type_layout_and_op_is_timed_on_the_cpu(void **state)
{
    static const spmm_dtype_t dtypes[] = {SPMM_F32, SPMM_F64, SPMM_F16, SPMM_BF16};
    struct progress progress = {0};
    struct tuner tuner = {.threads = 1, .progress = &progress};
    (void)state;
    for (int i = 0; i < 16; i++) {
        spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
        options.device = "cpu";
        options.a_type = dtypes[i / 4];
        options.ops = SPMM_OPS_N | SPMM_OPS_T;
        options.pattern_only = i % 2;
        spmm_plan_t *const plan = plan_for("gen:uniform:70:50:3", &options);
        double us = 0;
        assert_int_equal(tuner_measure(&tuner, plan, (i & 1) != 0 ? SPMM_OP_T : SPMM_OP_N, 1 + i,
                                       (i & 2) != 0 ? SPMM_COL_MAJOR : SPMM_ROW_MAJOR, &us),
                         SPMM_OK);
        assert_true(us > 0);
        assert_int_equal(tuner.summary.measured, i + 1);
        spmm_plan_destroy(plan);
    }
    assert_int_equal(tuner.summary.refused, 0);
    assert_true(tuner.summary.seconds > 0);
    assert_string_equal(tuner.summary.devices[TUNER_GPU], "");
    assert_true(tuner.summary.devices[TUNER_CPU][0] != '\0');
    tuner_close(&tuner);
}

static void what_would_not_run_here_is_refused(void **state)
{
    struct progress progress = {0};
    struct tuner tuner = {.threads = 1, .progress = &progress};
    const int64_t n = 8;
    double us = 0;
    spmm_inspect_options_t options = SPMM_INSPECT_OPTIONS_INIT;
    (void)state;
    options.device = "cpu";
    options.n = &n;
    options.n_count = 1;
    spmm_plan_t *plan = plan_for("gen:diag:9", &options);
    assert_int_equal(tuner_measure(&tuner, plan, SPMM_OP_N, 100000, SPMM_ROW_MAJOR, &us),
                     SPMM_ERR_UNSUPPORTED);
    assert_int_equal(tuner.summary.refused, 1);
    assert_true(tuner.summary.refusal[0] != '\0');
    spmm_plan_destroy(plan);

    options.device = "any";
    plan = plan_for("gen:diag:9", &options);
    if (spmm_device_count() == 0)
        assert_int_equal(tuner_measure(&tuner, plan, SPMM_OP_N, 8, SPMM_ROW_MAJOR, &us), SPMM_ERR_NO_DEVICE);
    spmm_plan_destroy(plan);
    assert_int_equal(tuner.summary.measured, 0);
    tuner_close(&tuner);
}

static spmm_status_t check_device(const char *name, spmm_diag_t *diag)
{
    const struct plan_device devices = {.names = {"cpu", name}, .count = 2};
    return tuner_check_devices(&devices, diag);
}

static void a_device_that_is_missing_is_named(void **state)
{
    spmm_diag_t diag;
    (void)state;
    assert_int_equal(check_device("any", &diag), SPMM_OK);
    assert_int_equal(check_device("cpu", &diag), SPMM_OK);
    assert_int_equal(check_device("no such profile", &diag), SPMM_ERR_ARGUMENT);
    if (spmm_device_count() == 0)
        assert_int_equal(check_device("h200", &diag), SPMM_ERR_NO_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_layout_and_op_is_timed_on_the_cpu),
        cmocka_unit_test(what_would_not_run_here_is_refused),
        cmocka_unit_test(a_device_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
