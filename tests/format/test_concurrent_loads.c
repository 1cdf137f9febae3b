/* SPDX-License-Identifier: Apache-2.0 */
/* Threads load the same file and query a shared plan at the same time. Processes load the file while others
 * save it. All get the same plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "format/base/alloc.h"
#include "tests/support/child.h"
#include "tests/support/plan_seal.h"
#include "tests/support/scale.h"

#define THREADS_MAX 64
#define PROCESSES 8
#define SECONDS_MAX 15 /* time limit for sanitizers, which then do fewer loads */

struct shared {
    char path[64];
    spmm_plan_t *plan;
    int loads; /* per thread or process */
    double end;
    _Atomic int64_t done;
};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the number of failures of one thread. cmocka asserts are only for the main thread. */
static void *load_often(void *argument)
{
    struct shared *s = argument;
    uintptr_t failures = 0;
    for (int i = 0; i < s->loads && now() < s->end; i++) {
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
        s->done++;
    }
    return (void *)failures;
}

static void shared_make(struct shared *s, const char *matrix, int loads)
{
    *s = (struct shared){.path = "/tmp/spmm-loads-XXXXXX", .loads = loads, .end = now() + SECONDS_MAX};
    const int file = mkstemp(s->path);
    assert_true(file >= 0);
    (void)close(file);
    struct test_matrix *a = test_matrix_named(matrix, TEST_VALUES_REAL);
    s->plan =
        test_plan_whole(a, (struct test_plan_options){SPMM_F64, SPMM_SCHEDULE_NONZERO_SPLIT, 16, 1, 0}, "x");
    test_matrix_free(a);
    assert_int_equal(spmm_plan_save(s->plan, s->path, NULL, NULL), SPMM_OK);
}

static void shared_free(struct shared *s)
{
    (void)unlink(s->path);
    spmm_plan_destroy(s->plan);
}

static void load_in_threads(struct shared *s, int count)
{
    pthread_t threads[THREADS_MAX];
    const int64_t live = spmmi_alloc_live();
    for (int t = 0; t < count; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, load_often, s), 0);
    for (int t = 0; t < count; t++) {
        void *failures = NULL;
        assert_int_equal(pthread_join(threads[t], &failures), 0);
        assert_null(failures);
    }
    assert_int_equal(spmmi_alloc_live(), live);
}

static void eight_threads_get_the_same_plan(void **state)
{
    (void)state;
    struct shared s;
    shared_make(&s, "power law", 100);
    load_in_threads(&s, 8);
    shared_free(&s);
}

static void sixty_four_threads_load_a_thousand_times_each(void **state)
{
    (void)state;
    const int64_t wanted = 64 * 1000;
    struct shared s;
    shared_make(&s, "1 x 1", 1000);
    load_in_threads(&s, 64);
    assert_true(s.done > 0);
    if (s.done == wanted)
        printf("scorecard: E11 %lld loads by 64 threads, 0 failures\n", (long long)s.done);
    shared_free(&s);
}

/* Loads the plan many times. Every second process also saves it to the same file between loads. Returns 0 on
 * success. */
static int process(struct shared *s, int number)
{
    for (int i = 0; i < s->loads; i++) {
        spmm_plan_t *plan = NULL;
        if (spmm_plan_load(s->path, NULL, &plan, NULL) != SPMM_OK || !test_plans_equal(plan, s->plan))
            return 1;
        spmm_plan_destroy(plan);
        if (number % 2 == 0 && spmm_plan_save(s->plan, s->path, NULL, NULL) != SPMM_OK)
            return 1;
    }
    return 0;
}

static void eight_processes_load_and_save_one_path(void **state)
{
    (void)state;
    struct shared s;
    pid_t children[PROCESSES];
    shared_make(&s, "power law", (int)scaled(50));
    for (int c = 0; c < PROCESSES; c++) {
        children[c] = fork();
        assert_true(children[c] >= 0);
        if (children[c] == 0)
            _exit(process(&s, c));
    }
    for (int c = 0; c < PROCESSES; c++)
        assert_int_equal(child_wait(children[c]), 0);
    printf("scorecard: E11 %d loads by 8 processes on one path, 4 of them saving, 0 failures\n",
           PROCESSES * s.loads);
    shared_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_processes_load_and_save_one_path),
        cmocka_unit_test(eight_threads_get_the_same_plan),
        cmocka_unit_test(sixty_four_threads_load_a_thousand_times_each),
    };
    return cmocka_run_group_tests_name("concurrent_loads", tests, NULL, NULL);
}
