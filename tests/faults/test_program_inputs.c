/* SPDX-License-Identifier: Apache-2.0 */
/* Gives files of a wrong kind to each input of each program. The program must refuse them with a sentence, in
 * bounded time and memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/stat.h>

#include "scene.h"
#include "tests/support/child.h"

#define SECONDS_MAX 20.0
#define PEAK_KIB_MAX (3 << 18)
#define SPARSE_BYTES (INT64_C(10) << 30)

/* Makes a file that starts with the content of the file `like` and continues with zeros, which take no disk
 * space. */
static void make_sparse(const char *path, const char *like)
{
    static struct content start;
    content_read(like, &start);
    content_write(&start, path);
    assert_int_equal(truncate(path, SPARSE_BYTES), 0);
}

/* Starts a process that writes up to 16 MiB of zeros to the pipe and ends earlier if nobody reads. */
static pid_t feed(const char *fifo)
{
    const pid_t child = fork();
    if (child == 0) {
        static const char zeros[4096];
        const int file = open(fifo, O_WRONLY);
        for (int i = 0; i < 1 << 12 && write(file, zeros, sizeof zeros) > 0; i++)
            continue;
        _exit(0);
    }
    return child;
}

static void end_feeding(pid_t child)
{
    (void)kill(child, SIGKILL); /* the child may still wait in open if the program never opened the pipe */
    (void)child_wait(child);
}

static void check_refused(const struct program *program)
{
    struct program_end end;
    program_run(program, &end);
    program_check_end(program, &end);
    if (end.code == 0 || end.seconds > SECONDS_MAX || end.peak_kib > PEAK_KIB_MAX)
        fail_msg("%s %s %s: exit code %d after %.1f s and %ld KiB", program->arguments[0],
                 program->arguments[1], program->arguments[2], end.code, end.seconds, end.peak_kib);
}

/* Passes the path to every option and argument for which a program expects a file. */
static void check_everywhere(const struct scene *s, const char *path, bool is_fifo)
{
    const struct program programs[] = {
        {.arguments = {"spmm-info", path, "-q"}},
        {.arguments = {"spmm-info", s->plan, "--matches", path, "-q"}},
        {.arguments = {"spmm-info", "-", "-q"}, .input = path},
        {.arguments = {"spmm-inspect", path, "-q"}},
        {.arguments = {"spmm-inspect", "-", "-q"}, .input = path},
        {.arguments = {"spmm-inspect", s->matrix, "-q", "--device", path}},
        {.arguments = {"spmm-run", path, "--device", "cpu", "-q"}},
        {.arguments = {"spmm-run", "-", "--device", "cpu", "-q"}, .input = path},
        {.arguments = {"spmm-run", s->plan, "--device", "cpu", "-q", "-B", path}},
        {.arguments = {"spmm-run", s->plan, "--device", "cpu", "-q", "--check", path}},
        {.arguments = {"spmm-bench", path, "-n", "1"}},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct program program = programs[i];
        program.address_bytes = UINT64_C(1) << 30;
        const pid_t feeder = is_fifo ? feed(path) : 0;
        check_refused(&program);
        if (is_fifo)
            end_feeding(feeder);
    }
}

static void special_files(void **state)
{
    static const char *const paths[] = {"/dev/zero", "/dev/full", "/dev/null", "/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        check_everywhere(*state, paths[i], false);
}

static void a_pipe_of_zeros(void **state)
{
    char path[SCENE_PATH_MAX + 8];
    const struct scene *s = *state;
    (void)snprintf(path, sizeof path, "%s/fifo", s->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_everywhere(s, path, true);
    assert_int_equal(unlink(path), 0);
}

/* Checks sparse files: one of zeros only, and files that start like valid files. */
static void sparse_files(void **state)
{
    const struct scene *s = *state;
    const char *const starts[] = {"/dev/null", s->plan, s->matrix, s->b, s->profile};
    char path[SCENE_PATH_MAX + 8];
    (void)snprintf(path, sizeof path, "%s/sparse", s->folder);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        make_sparse(path, starts[i]);
        check_everywhere(s, path, false);
        assert_int_equal(unlink(path), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(special_files),
        cmocka_unit_test(a_pipe_of_zeros),
        cmocka_unit_test(sparse_files),
    };
    return cmocka_run_group_tests_name("program_inputs", tests, scene_set_up, scene_tear_down);
}
