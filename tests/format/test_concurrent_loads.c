/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads load the same file and ask a shared plan at once; all get the same plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "tests/support/plan_seal.h"

#define THREADS 8
#define LOADS 100

struct shared {
    char path[64];
    spmm_plan_t *plan;
};

/* Failures of one thread: cmocka asserts belong to the main thread. */
static void *load_often(void *argument)
{
    const struct shared *s = argument;
    uintptr_t failures = 0;
    for (int i = 0; i < LOADS; i++) {
        const spmm_load_options_t options = {sizeof options, 0, 1};
        spmm_plan_t *plan = NULL;
        spmm_csr_t view;
        if (spmm_plan_load(s->path, &options, &plan, NULL) != SPMM_OK) {
            failures++;
            continue;
        }
        failures += !test_plans_equal(plan, s->plan);
        failures += spmm_plan_csr(s->plan, &view) != SPMM_OK;
        failures += spmm_plan_matches(plan, &view, 1, NULL) != SPMM_OK;
        spmm_plan_destroy(plan);
    }
    return (void *)failures;
}

static void eight_threads_get_the_same_plan(void **state)
{
    (void)state;
    struct shared s = {"/tmp/spmm-loads-XXXXXX", NULL};
    const int file = mkstemp(s.path);
    assert_true(file >= 0);
    (void)close(file);
    struct test_matrix *a = test_matrix_named("power law", TEST_VALUES_REAL);
    s.plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0}, "x");
    test_matrix_free(a);
    assert_int_equal(spmm_plan_save(s.plan, s.path, NULL, NULL), SPMM_OK);
    const int64_t live = spmmi_alloc_live();
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, load_often, &s), 0);
    for (int t = 0; t < THREADS; t++) {
        void *failures = NULL;
        assert_int_equal(pthread_join(threads[t], &failures), 0);
        assert_null(failures);
    }
    assert_int_equal(spmmi_alloc_live(), live);
    (void)unlink(s.path);
    spmm_plan_destroy(s.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(eight_threads_get_the_same_plan)};
    return cmocka_run_group_tests_name("concurrent_loads", tests, NULL, NULL);
}
