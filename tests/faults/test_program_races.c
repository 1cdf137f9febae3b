/* SPDX-License-Identifier: Apache-2.0 */
/* Several programs write one file while others read it: readers must always see one of the complete plans. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "scene.h"
#include "tests/support/child.h"
#include "tests/support/scale.h"

#define WRITERS 4
#define ROUNDS 40

static const char *const matrices[WRITERS] = {"gen:band:50:1", "gen:band:300:3", "gen:rand:90:4",
                                              "gen:arrow:60"};

static struct content plans[WRITERS];

static struct program writer(const struct scene *s, int which)
{
    return (struct program){.arguments = {"spmm-inspect", matrices[which], "-q", "-o", s->plan_result}};
}

static void make_plans(const struct scene *s)
{
    for (int w = 0; w < WRITERS; w++) {
        const struct program program = writer(s, w);
        struct program_end end;
        program_run(&program, &end);
        assert_int_equal(end.code, 0);
        content_read(s->plan_result, &plans[w]);
    }
}

/* Returns true if the file holds one of the plans. Reads it only once, because a writer may replace it
 * between two reads. */
static bool is_one_of_the_plans(const char *path)
{
    static struct content now;
    content_read(path, &now);
    for (int w = 0; w < WRITERS; w++)
        if (now.size == plans[w].size && memcmp(now.bytes, plans[w].bytes, now.size) == 0)
            return true;
    return false;
}

/* Starts all writers, runs one reader per writer, and returns the number of programs that ran. */
static int race(const struct scene *s)
{
    const struct program reader = {.arguments = {"spmm-info", s->plan_result, "-q"}};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t children[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        const struct program program = writer(s, w);
        children[w] = program_start(&program, nowhere, nowhere);
    }
    for (int w = 0; w < WRITERS; w++) {
        struct program_end end;
        program_run(&reader, &end);
        assert_int_equal(end.code, 0);
        assert_true(is_one_of_the_plans(s->plan_result));
        const int status = child_wait(children[w]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_int_equal(close(nowhere), 0);
    return 2 * WRITERS;
}

static void writers_and_readers_of_one_name(void **state)
{
    const struct scene *s = *state;
    const size_t rounds = scaled(ROUNDS);
    int programs = 0;
    make_plans(s);
    for (size_t i = 0; i < rounds; i++)
        programs += race(s);
    assert_int_equal(scene_temporaries(s), 0);
    printf("scorecard: E8 %d programs that write and read one plan at the same time, 0 torn plans\n",
           programs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writers_and_readers_of_one_name)};
    return cmocka_run_group_tests_name("program_races", tests, scene_set_up, scene_tear_down);
}
