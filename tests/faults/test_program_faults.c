/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the programs survive failing system calls: each call with which they read and write files fails
 * once in every way. A program that exits with 0 must have the right result. One that fails must say why and
 * leave the old file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"
#include "tracer.h"

static bool is_one_of(const char *call, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(call, *list) == 0)
            return true;
    return false;
}

/* Returns true if the program must succeed despite the fault. The programs repeat a call after EINTR and
 * after a short read or write. The exception is standard output: the C library writes it and does not repeat
 * the call after EINTR. */
static bool must_succeed(const struct fault *fault, const struct program_end *end)
{
    static const char *const repeated[] = {"open", "open unnamed", "read", "write", "fsync", "close", NULL};
    const bool is_printing = strcmp(end->call, "write") == 0 && end->call_file == 1;
    return fault->kind == FAULT_SHORT || (fault->kind == FAULT_ERROR && fault->number == EINTR &&
                                          is_one_of(end->call, repeated) && !is_printing);
}

static void check(const struct scene *s, const struct action *action, const struct program_end *end)
{
    const struct fault *fault = action->program.fault;
    program_check_end(&action->program, end);
    scene_check_result(action, end);
    assert_int_equal(scene_temporaries(s), 0);
    if (end->code != 0 && must_succeed(fault, end))
        fail_msg("%s %s: fault %d number %d at call %lld %s(%lld) was not survived: %s",
                 action->program.arguments[0], action->program.arguments[1], fault->kind, fault->number,
                 (long long)fault->at, end->call, (long long)end->call_file, end->error);
}

/* Runs the action once for each call, with the fault at that call. Returns the number of calls. */
static int64_t at_each_call(const struct scene *s, const struct action *given, struct fault fault)
{
    static struct action action;
    struct program_end end;
    action = *given;
    action.program.fault = &fault;
    do {
        scene_restore(&action);
        program_run(&action.program, &end);
        check(s, &action, &end);
        fault.at++;
    } while (end.call[0] != '\0');
    return end.calls;
}

static void every_call_may_fail(void **state)
{
    static const struct fault faults[] = {
        {FAULT_ERROR, EIO, 0, false},    {FAULT_ERROR, EINTR, 0, false}, {FAULT_SHORT, 0, 0, false},
        {FAULT_ERROR, ENOSPC, 0, false}, {FAULT_ERROR, EFBIG, 0, false},
    };
    const struct scene *s = *state;
    int64_t calls = 0, failed = 0;
    for (int a = 0; a < s->count; a++)
        for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
            const bool is_of_writers = faults[f].number == ENOSPC || faults[f].number == EFBIG;
            if (is_of_writers && s->actions[a].result == NULL)
                continue;
            const int64_t count = at_each_call(s, &s->actions[a], faults[f]);
            calls += f == 0 ? count : 0;
            failed += count;
        }
    printf("scorecard: E7 %lld failing calls: each of %lld calls with files in %d uses of the programs, in 3 "
           "to 5 ways\n",
           (long long)failed, (long long)calls, s->count);
}

/* Repeats the test as on a file system that supports no unnamed files (O_TMPFILE). */
static void every_call_may_fail_with_named_files_only(void **state)
{
    const struct scene *s = *state;
    for (int a = 0; a < 2; a++) {
        (void)at_each_call(s, &s->actions[a], (struct fault){FAULT_ERROR, EIO, 0, true});
        (void)at_each_call(s, &s->actions[a], (struct fault){FAULT_ERROR, ENOSPC, 0, true});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(every_call_may_fail_with_named_files_only),
    };
    if (!tracer_works())
        return 77;
    return cmocka_run_group_tests_name("program_faults", tests, scene_set_up, scene_tear_down);
}
