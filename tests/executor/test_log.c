/* SPDX-License-Identifier: Apache-2.0 */
/* What is logged: each failure once, and each choice, but nothing during a product that succeeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spmm/spmm.h>

#include "format/plan.h"

#define TOLD_MAX 64
#define TOLD_BYTES 512

static _Alignas(256) char workspace[4096];

struct told {
    int count;
    spmm_log_level_t levels[TOLD_MAX];
    char texts[TOLD_MAX][TOLD_BYTES];
};
static struct told told;

static void take(void *context, spmm_log_level_t level, const char *text)
{
    struct told *t = context;
    assert_true(t->count < TOLD_MAX);
    assert_true(strlen(text) < TOLD_BYTES && strchr(text, '\n') == NULL);
    t->levels[t->count] = level;
    strcpy(t->texts[t->count++], text);
}

static void listen(spmm_log_level_t level)
{
    told.count = 0;
    spmm_log_set(take, &told, level);
}

static int stop(void **state)
{
    (void)state;
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    return 0;
}

/* Returns the number of messages of this level that contain the text. */
static int count_of(spmm_log_level_t level, const char *tcblock)
{
    int count = 0;
    for (int i = 0; i < told.count; i++)
        count += told.levels[i] == level && strstr(told.texts[i], tcblock) != NULL;
    return count;
}

static spmm_plan_t *make_plan(void)
{
    spmm_matrix_t *matrix = NULL;
    spmm_plan_t *plan = NULL;
    assert_int_equal(spmm_matrix_generate("gen:lap27:4", &matrix, NULL), SPMM_OK);
    assert_int_equal(spmm_inspect(matrix, NULL, &plan, NULL), SPMM_OK);
    spmm_matrix_destroy(matrix);
    return plan;
}

static spmm_executor_t *make_executor(const spmm_plan_t *plan, int threads)
{
    spmm_executor_options_t options = SPMM_EXECUTOR_OPTIONS_INIT;
    spmm_executor_t *executor = NULL;
    options.threads = threads;
    assert_int_equal(spmm_executor_create(plan, SPMM_DEVICE_CPU, &options, &executor, NULL), SPMM_OK);
    return executor;
}

static void a_failure_is_logged_once_with_the_text_of_its_diag(void **state)
{
    spmm_plan_t *plan = NULL;
    spmm_diag_t diag;
    (void)state;
    listen(SPMM_LOG_ERROR);
    assert_int_equal(spmm_plan_load("/nowhere/a.plan", NULL, &plan, &diag), SPMM_ERR_IO);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.levels[0], SPMM_LOG_ERROR);
    assert_string_equal(told.texts[0], diag.text);
    assert_int_equal(spmm_plan_load("/nowhere/a.plan", NULL, &plan, NULL), SPMM_ERR_IO);
    assert_int_equal(told.count, 2);
    assert_string_equal(told.texts[1], told.texts[0]);
}

/* Every seventh byte of a plan is damaged. One message is logged, whatever the error is and however often it
 * is found. */
static void damaged_plans_are_logged_once(void **state)
{
    spmm_plan_t *plan = make_plan();
    unsigned char *bytes = NULL;
    size_t size = 0;
    (void)state;
    assert_int_equal(spmm_plan_write(plan, NULL, (void **)&bytes, &size, NULL), SPMM_OK);
    spmm_plan_destroy(plan);
    for (size_t i = 0; i < size; i += 7) {
        spmm_plan_t *bad = NULL;
        bytes[i] ^= 0x10;
        listen(SPMM_LOG_ERROR);
        const spmm_status_t status = spmm_plan_read(bytes, size, NULL, &bad, NULL);
        assert_int_equal(told.count, status == SPMM_OK ? 0 : 1);
        spmm_plan_destroy(bad);
        bytes[i] ^= 0x10;
    }
    spmm_plan_bytes_free(bytes);
}

static void choices_executors_and_loads_are_logged(void **state)
{
    void *bytes = NULL;
    size_t size = 0;
    spmm_plan_t *loaded = NULL;
    (void)state;
    listen(SPMM_LOG_INFO);
    spmm_plan_t *plan = make_plan();
    assert_int_equal(count_of(SPMM_LOG_INFO, "gen:lap27:4: inspected, 64 x 64, 1000 nonzeros, f32"), 1);
    assert_true(count_of(SPMM_LOG_INFO, "op N, ") > 0);
    assert_int_equal(spmm_plan_write(plan, NULL, &bytes, &size, NULL), SPMM_OK);
    assert_int_equal(spmm_plan_read(bytes, size, NULL, &loaded, NULL), SPMM_OK);
    assert_int_equal(count_of(SPMM_LOG_INFO, "a plan in memory: loaded, format 1."), 1);
    spmm_executor_destroy(make_executor(loaded, 0));
    assert_int_equal(count_of(SPMM_LOG_INFO, "(device -1): "), 1);
    assert_int_equal(count_of(SPMM_LOG_INFO, "kernels of rows"), 1);
    assert_int_equal(count_of(SPMM_LOG_WARNING, "") + count_of(SPMM_LOG_ERROR, ""), 0);
    spmm_plan_bytes_free(bytes);
    spmm_plan_destroy(loaded);
    spmm_plan_destroy(plan);
}

static void what_is_not_as_asked_is_a_warning(void **state)
{
    spmm_plan_t *later = NULL;
    spmm_plan_t *plan = make_plan();
    (void)state;
    listen(SPMM_LOG_WARNING);
    spmm_executor_destroy(make_executor(plan, 100000));
    assert_int_equal(count_of(SPMM_LOG_WARNING, "100000 threads were asked for"), 1);
    for (uint32_t i = 0; i < plan->variant_count; i++)
        plan->variants[i].target = 90;
    listen(SPMM_LOG_WARNING);
    spmm_executor_destroy(make_executor(plan, 1));
    assert_int_equal(count_of(SPMM_LOG_WARNING, "the plan has no variant of op N for"), 1);
    assert_int_equal(told.count, 1);
    listen(SPMM_LOG_WARNING);
    assert_int_equal(
        spmm_plan_load(SPMM_SOURCE_DIR "/tests/golden/good/later_minor.plan", NULL, &later, NULL), SPMM_OK);
    assert_int_equal(told.count, count_of(SPMM_LOG_WARNING, "is unknown to this library"));
    assert_true(told.count > 0);
    spmm_plan_destroy(later);
    spmm_plan_destroy(plan);
}

static void products_and_levels_that_are_off_log_nothing(void **state)
{
    float data[2 * 64] = {0};
    const spmm_dense_t b = {.data = data, .rows = 64, .cols = 1, .ld = 1, .type = SPMM_F32};
    const spmm_dense_t c = {.data = data + 64, .rows = 64, .cols = 1, .ld = 1, .type = SPMM_F32};
    spmm_plan_t *none = NULL;
    (void)state;
    listen(SPMM_LOG_ERROR);
    spmm_plan_t *plan = make_plan();
    spmm_executor_t *executor = make_executor(plan, 1);
    assert_int_equal(told.count, 0);
    listen(SPMM_LOG_INFO);
    assert_int_equal(spmm_execute(executor, SPMM_OP_N, spmm_real(1), &b, spmm_real(0), &c, workspace,
                                  sizeof workspace, NULL, NULL),
                     SPMM_OK);
    assert_int_equal(told.count, 0);
    spmm_log_set(take, &told, SPMM_LOG_OFF);
    assert_int_equal(spmm_plan_load("/nowhere/a.plan", NULL, &none, NULL), SPMM_ERR_IO);
    spmm_log_set(NULL, &told, SPMM_LOG_INFO);
    assert_int_equal(spmm_plan_load("/nowhere/a.plan", NULL, &none, NULL), SPMM_ERR_IO);
    assert_int_equal(told.count, 0);
    spmm_executor_destroy(executor);
    spmm_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_failure_is_logged_once_with_the_text_of_its_diag, stop),
        cmocka_unit_test_teardown(damaged_plans_are_logged_once, stop),
        cmocka_unit_test_teardown(choices_executors_and_loads_are_logged, stop),
        cmocka_unit_test_teardown(what_is_not_as_asked_is_a_warning, stop),
        cmocka_unit_test_teardown(products_and_levels_that_are_off_log_nothing, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
