/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a team if threads cannot get the stacks that the environment asks for. No resource limit is
 * needed here, unlike in tests/faults/test_team.c. Each query is made in a new thread, which has no team
 * yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <spmm/common.h>

#include "format/base/team.h"

#define TOO_LARGE "1000000 g" /* larger than the address space */

struct question {
    int wanted, again, size, size_again;
};

static void *ask(void *context)
{
    struct question *q = context;
    q->size = spmmi_team(q->wanted);
    q->size_again = spmmi_team(q->again);
    return NULL;
}

/* Returns the sizes of the first and the second team of a new thread. */
static struct question team_of_thread(int wanted, int again)
{
    struct question question = {.wanted = wanted, .again = again};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask, &question), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return question;
}

static void stacks_of_the_environment(void **state)
{
    (void)state;
    static const struct {
        const char *omp, *gomp;
        int size;
    } cases[] = {{NULL, NULL, 4},
                 {TOO_LARGE, NULL, 1},
                 {NULL, TOO_LARGE, 1},
                 {"256 k", TOO_LARGE, 4},    /* OMP_STACKSIZE has priority */
                 {"1048576000000", NULL, 1}, /* in KiB */
                 {"1048576000000X", NULL, 1},
                 {"1048576b", NULL, 4},
                 {"1000000000M", NULL, 1},
                 {"18446744073709551615 k", NULL, 4}, /* invalid: the default */
                 {"", NULL, 4},
                 {"1 b", NULL, 4}}; /* too small: the default */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)(cases[i].omp != NULL ? setenv("OMP_STACKSIZE", cases[i].omp, 1) : unsetenv("OMP_STACKSIZE"));
        (void)(cases[i].gomp != NULL ? setenv("GOMP_STACKSIZE", cases[i].gomp, 1)
                                     : unsetenv("GOMP_STACKSIZE"));
        const int size = team_of_thread(4, 1).size;
        if (size != cases[i].size)
            fail_msg("%s, %s: %d threads", cases[i].omp, cases[i].gomp, size);
    }
    (void)unsetenv("OMP_STACKSIZE");
    (void)unsetenv("GOMP_STACKSIZE");
}

static int warnings;

static void count_warnings(void *context, spmm_log_level_t level, const char *text)
{
    (void)context;
    warnings +=
        level == SPMM_LOG_WARNING && strstr(text, "4 threads were asked for, 1 can be started") != NULL;
}

/* The warning is logged once per thread, if a log is set. */
static void a_small_team_is_told_once(void **state)
{
    (void)state;
    (void)setenv("OMP_STACKSIZE", TOO_LARGE, 1);
    assert_int_equal(team_of_thread(4, 4).size_again, 1);
    spmm_log_set(count_warnings, NULL, SPMM_LOG_WARNING);
    assert_int_equal(team_of_thread(4, 4).size_again, 1);
    spmm_log_set(NULL, NULL, SPMM_LOG_INFO);
    assert_int_equal(warnings, 1);
    (void)unsetenv("OMP_STACKSIZE");
}

/* Parallel regions inside a region of the caller get teams if the caller allows nested teams, newly
 * determined each time. */
static void teams_in_a_team(void **state)
{
    (void)state;
    for (int levels = 1; levels <= 2; levels++) {
        int sizes = 0;
        omp_set_max_active_levels(levels);
#pragma omp parallel num_threads(2) reduction(+ : sizes)
        sizes += spmmi_team(3) + spmmi_team(3);
        assert_int_equal(sizes, levels == 1 ? 4 : 12);
    }
    omp_set_max_active_levels(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks_of_the_environment),
                                       cmocka_unit_test(a_small_team_is_told_once),
                                       cmocka_unit_test(teams_in_a_team)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
