/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the address space, threads, file size and disk space. Each run must give the right result, or end
 * with a documented exit code and a sentence and leave the files as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mount.h>

#include "scene.h"
#include "tests/support/scale.h"

#define LARGE "gen:rand:12000:10" /* large enough for parallel regions in all steps */
#define AS_STEPS 40
#define AS_RANGE (UINT64_C(100) << 20) /* enough for the stacks of 8 threads and the data */

/* A run of one of the three programs on a matrix that is large enough for threads. */
struct work {
    struct program program;
    const char *result;
};

enum { WORKS = 3 };

static void make_works(const struct scene *s, struct work *works)
{
    works[0] =
        (struct work){{.arguments = {"spmm-inspect", LARGE, "-q", "-o", s->plan_result}}, s->plan_result};
    works[1] = (struct work){{.arguments = {"spmm-info", "-q", s->plan_result}}, NULL};
    works[2] = (struct work){{.arguments = {"spmm-run", s->plan_result, "--device", "cpu", "--repeat", "0",
                                            "-q", "-n", "16", "--check", "self"}},
                             NULL};
}

/* Runs the program and checks its end. Returns true if the program was successful. */
static bool run_limited(const struct scene *s, const struct work *work, const struct content *plan)
{
    struct program_end end;
    program_run(&work->program, &end);
    program_check_end(&work->program, &end);
    assert_null(strstr(end.error, "libgomp"));
    assert_null(strstr(end.error, "OMP"));
    assert_int_equal(scene_temporaries(s), 0);
    assert_true(content_is(plan, s->plan_result)); /* either written again or left alone */
    return end.code == 0;
}

/* Writes the plan of LARGE to the result path and reads it into plan. */
static void make_plan(const struct scene *s, struct work *works, struct content *plan)
{
    struct program_end end;
    make_works(s, works);
    program_run(&works[0].program, &end);
    assert_int_equal(end.code, 0);
    content_read(s->plan_result, plan);
}

/* Returns an address-space limit in bytes under which the loader can start the program: the smallest one that
 * was found, to within 64 KiB, plus a margin of 256 KiB. */
static uint64_t least_address_bytes(const char *name)
{
    uint64_t low = 1 << 20, high = 1 << 30;
    while (high - low > (1 << 16)) {
        const uint64_t middle = (low + high) / 2;
        const struct program program = {.arguments = {name, "--version"}, .address_bytes = middle};
        struct program_end end;
        program_run(&program, &end);
        *(end.code == 0 ? &high : &low) = middle;
    }
    return high + (1 << 18); /* load addresses are random */
}

static void address_space(void **state)
{
    static struct content plan;
    const struct scene *s = *state;
    struct work works[WORKS];
    size_t runs = 0, successes = 0;
    make_plan(s, works, &plan);
    for (int w = 0; w < WORKS; w++) {
        const uint64_t least = least_address_bytes(works[w].program.arguments[0]);
        const size_t steps = scaled(AS_STEPS);
        for (size_t step = 0; step < steps; step++) {
            works[w].program.address_bytes = least + AS_RANGE * step / steps;
            works[w].program.threads = step % 2 == 0 ? 2 : 8;
            successes += run_limited(s, &works[w], &plan);
            runs++;
        }
    }
    assert_in_range(successes, 1, runs - 1);
    printf(
        "scorecard: P1 %zu runs under limits of the address space: %zu right, %zu refused with a sentence\n",
        runs, successes, runs - successes);
}

/* Limits the number of processes, which include threads. Root is not limited, so the programs run as another
 * user. If the tests do not run as root, the limit also counts the other processes of the user. */
static void threads(void **state)
{
    static struct content plan;
    const struct scene *s = *state;
    struct work works[WORKS];
    size_t runs = 0;
    make_plan(s, works, &plan);
    for (int w = 0; w < WORKS; w++)
        for (int64_t tasks = 1; tasks <= 9; tasks++) {
            works[w].program.tasks = tasks + 1;
            works[w].program.threads = 8;
            assert_true(run_limited(s, &works[w], &plan)); /* succeeds with fewer threads, at worst one */
            runs++;
        }
    printf("scorecard: P1 %zu runs of 8 threads where 1 to 9 may be started: %zu right\n", runs, runs);
}

static void file_size(void **state)
{
    struct scene *s = *state;
    for (int a = 0; a < s->count; a++) {
        struct action *action = &s->actions[a];
        const uint64_t whole = action->after.size;
        const uint64_t limits[] = {1, 64, whole / 2, whole - 1, whole, 2 * whole};
        struct program_end end;
        for (size_t i = 0; action->result != NULL && i < sizeof limits / sizeof *limits; i++) {
            action->program.file_bytes = limits[i];
            scene_restore(action);
            program_run(&action->program, &end);
            program_check_end(&action->program, &end);
            scene_check_result(action, &end);
            assert_int_equal(end.code == 0, limits[i] >= whole);
            assert_int_equal(scene_temporaries(s), 0);
        }
        action->program.file_bytes = 0;
    }
}

/* Mounts a disk of the given bytes over the folder and runs the action there. Returns true if it was
 * successful. */
static bool write_on_disk(const struct scene *s, const struct action *action, size_t bytes)
{
    struct program_end end;
    char options[64];
    (void)snprintf(options, sizeof options, "size=%zu", bytes);
    assert_int_equal(mount("spmm-test", s->folder, "tmpfs", 0, options), 0);
    content_write(&action->before, action->result);
    program_run(&action->program, &end);
    program_check_end(&action->program, &end);
    scene_check_result(action, &end);
    assert_int_equal(scene_temporaries(s), 0);
    assert_int_equal(umount(s->folder), 0);
    return end.code == 0;
}

/* Skips if no disk can be mounted here. test_program_faults then covers this case: it lets every write fail
 * with ENOSPC. */
static void full_disk(void **state)
{
    const struct scene *s = *state;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        print_message("no disk can be mounted here\n");
        skip();
    }
    for (size_t pages = 1; pages <= 4; pages++) {
        const bool is_successful = write_on_disk(s, &s->actions[0], pages << 12);
        if (pages != 2) /* with 2 pages, the disk holds one file or both */
            assert_int_equal(is_successful, pages > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_space),
        cmocka_unit_test(threads),
        cmocka_unit_test(file_size),
        cmocka_unit_test(full_disk),
    };
    return cmocka_run_group_tests_name("program_limits", tests, scene_set_up, scene_tear_down);
}
