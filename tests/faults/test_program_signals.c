/* SPDX-License-Identifier: Apache-2.0 */
/* Sends signals while a program writes a file. The final name must always hold the old file or the complete
 * new one. A signal that can be caught must leave no temporary file, and the exit status must report the
 * signal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/wait.h>

#include "scene.h"
#include "tests/support/child.h"
#include "tests/support/scale.h"
#include "tracer.h"

/* Checks the result and the files that are left. After SIGKILL one temporary file may stay. If unnamed files
 * are supported, that is only possible around the calls that give the file a name and rename it. */
static void check_end(const struct scene *s, const struct action *action, const struct program_end *end)
{
    const struct fault *fault = action->program.fault;
    const int left = scene_temporaries(s);
    const bool is_killed = fault->number == SIGKILL;
    scene_check_result(action, end);
    if (end->call[0] != '\0')
        assert_int_equal(end->signal, fault->number);
    assert_in_range(left, 0, is_killed ? 1 : 0);
    if (left > 0 && !fault->is_named_only)
        assert_true(strcmp(end->call, "link") == 0 || strcmp(end->call, "close") == 0 ||
                    strcmp(end->call, "rename") == 0);
}

/* Runs the action once for each call and sends the signal at that call. Returns the number of calls. */
static int64_t at_each_call(const struct scene *s, const struct action *given, int number, bool is_named_only)
{
    static struct action action;
    struct fault fault = {FAULT_SIGNAL, number, 0, is_named_only};
    struct program_end end;
    action = *given;
    action.program.fault = &fault;
    for (;; fault.at++) {
        scene_restore(&action);
        program_run(&action.program, &end);
        check_end(s, &action, &end);
        if (end.call[0] == '\0')
            return fault.at;
    }
}

static void a_signal_at_every_call(void **state)
{
    static const int numbers[] = {SIGKILL, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE, SIGUSR1};
    const struct scene *s = *state;
    int64_t kills = 0, caught = 0;
    for (int a = 0; a < s->count; a++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers && s->actions[a].result != NULL; i++) {
            int64_t *count = numbers[i] == SIGKILL ? &kills : &caught;
            *count += at_each_call(s, &s->actions[a], numbers[i], false);
            if (a < 2 && i < 3)
                *count += at_each_call(s, &s->actions[a], numbers[i], true);
        }
    printf("scorecard: E8 %lld kills, %lld other signals, one at every call of the programs that write: 0 "
           "torn files\n",
           (long long)kills, (long long)caught);
}

/* A process that ignores a signal, as nohup does, passes this on to the program, which must also ignore
 * it. */
static void an_ignored_signal_stays_ignored(void **state)
{
    const struct scene *s = *state;
    static struct action action;
    struct program_end end;
    action = s->actions[0];
    (void)signal(SIGHUP, SIG_IGN);
    for (struct fault fault = {FAULT_SIGNAL, SIGHUP, 0, false};; fault.at++) {
        action.program.fault = &fault;
        scene_restore(&action);
        program_run(&action.program, &end);
        assert_int_equal(end.code, 0);
        scene_check_result(&action, &end);
        if (end.call[0] == '\0')
            break;
    }
    (void)signal(SIGHUP, SIG_DFL);
}

/* Starts the program and kills it after the given time. Returns true if it was still running. */
static bool kill_after(const struct program *program, long nanoseconds)
{
    const struct timespec pause = {0, nanoseconds};
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const pid_t child = program_start(program, nowhere, nowhere);
    (void)nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    const int status = child_wait(child);
    assert_int_equal(close(nowhere), 0);
    return WIFSIGNALED(status);
}

/* The time before each kill is random, between 0 and 1.1 times the run time of the program. */
static void a_thousand_random_kills(void **state)
{
    const struct scene *s = *state;
    const size_t kills = scaled(1000);
    size_t killed = 0;
    uint32_t random = 1;
    for (size_t i = 0; i < kills; i++) {
        const struct action *action = &s->actions[i % 2];
        const struct program_end ended = {.code = 1};
        struct program_end whole;
        static double seconds[2];
        if (i < 2) {
            program_run(&action->program, &whole);
            seconds[i] = whole.seconds;
        }
        scene_restore(action);
        random = random * 1664525u + 1013904223u;
        killed += kill_after(&action->program, (long)(1.1e9 * seconds[i % 2] * (random >> 8) / (1 << 24)));
        scene_check_result(action, &ended);
        (void)scene_temporaries(s);
    }
    assert_in_range(killed, kills / 4, kills);
    printf("scorecard: E8 %zu kills at random moments of programs that write, 0 torn files\n", killed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_at_every_call),
        cmocka_unit_test(an_ignored_signal_stays_ignored),
        cmocka_unit_test(a_thousand_random_kills),
    };
    if (!tracer_works())
        return 77;
    return cmocka_run_group_tests_name("program_signals", tests, scene_set_up, scene_tear_down);
}
