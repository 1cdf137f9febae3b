/* SPDX-License-Identifier: Apache-2.0 */
/* Checks OpenMP teams when threads cannot be started: the region must run with fewer threads, and the process
 * must continue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "format/base/team.h"

#define MIB (UINT64_C(1) << 20)

static void limit_more_address_space(uint64_t bytes)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%llu", &pages) != 1 || fclose(file) != 0)
        _exit(100);
    const rlim_t all = pages * (uint64_t)sysconf(_SC_PAGESIZE) + bytes;
    const struct rlimit limit = {all, all};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        _exit(101);
}

/* Runs a parallel region that asks for `wanted` threads. Returns the number of threads it had. */
static int run_region(int wanted)
{
    int count = 0;
#pragma omp parallel num_threads(spmmi_team(wanted)) reduction(+ : count)
    count++;
    return count;
}

/* Runs three regions in a child process whose address space may grow by `bytes`. Returns the number of
 * threads that the first region had. */
static int threads_of_child(uint64_t bytes, int wanted)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        limit_more_address_space(bytes);
        const int first = run_region(wanted);
        (void)run_region(2);
        (void)run_region(wanted); /* the team grows again */
        _exit(first);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status)); /* libgomp would have exited with 1 */
    return WEXITSTATUS(status);
}

static void fewer_threads_where_memory_is_limited(void **state)
{
    (void)state;
    (void)setenv("OMP_STACKSIZE", "16M", 1); /* too late for libgomp, whose stacks have about 8M */
    assert_int_equal(threads_of_child(1 * MIB, 64), 1);
    assert_in_range(threads_of_child(80 * MIB, 64), 2, 5);
    (void)setenv("OMP_STACKSIZE", "40960", 1); /* KiB */
    assert_in_range(threads_of_child(80 * MIB, 64), 2, 2);
    (void)setenv("OMP_STACKSIZE", " 9 g", 1);
    assert_int_equal(threads_of_child(80 * MIB, 64), 1);
    (void)unsetenv("OMP_STACKSIZE");
}

/* After a large team has shrunk, other memory takes the address space of its stacks before the team grows
 * again. */
static void run_regions_and_take_memory(void)
{
    limit_more_address_space(400 * MIB);
    const int first = run_region(16);
    (void)run_region(2);
    (void)usleep(100000); /* until the other threads have ended */
    while (mmap(NULL, MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        continue;
    _exit(first == 16 && run_region(16) < 16 ? 0 : 103);
}

static void a_number_that_was_started_is_tried_again(void **state)
{
    int status = 0;
    (void)state;
    const pid_t child = fork();
    if (child == 0)
        run_regions_and_take_memory();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void as_many_as_wanted_without_a_limit(void **state)
{
    (void)state;
    assert_int_equal(run_region(1), 1);
    assert_int_equal(run_region(7), 7);
    assert_int_equal(run_region(3), 3);
    assert_int_equal(run_region(0), omp_get_max_threads());
    assert_int_equal(spmmi_team(1 << 20), SPMMI_TEAM_MAX);
}

static void one_in_a_region_of_the_caller(void **state)
{
    int largest = 0;
    (void)state;
#pragma omp parallel num_threads(2) reduction(max : largest)
    largest = spmmi_team(4);
    assert_int_equal(largest, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            fewer_threads_where_memory_is_limited), /* first: its children must start without a team */
        cmocka_unit_test(a_number_that_was_started_is_tried_again),
        cmocka_unit_test(as_many_as_wanted_without_a_limit),
        cmocka_unit_test(one_in_a_region_of_the_caller),
    };
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
