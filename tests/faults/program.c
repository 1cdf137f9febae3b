/* SPDX-License-Identifier: Apache-2.0 */
/* See program.h. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/child.h"
#include "tracer.h"

#define SECONDS_MAX 60

static void limit(__rlimit_resource_t resource, uint64_t value)
{
    const struct rlimit both = {value, value};
    if (setrlimit(resource, &both) != 0)
        _exit(126);
}

static void set_limits(const struct program *program)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, SECONDS_MAX);
    if (program->file_bytes != 0)
        limit(RLIMIT_FSIZE, program->file_bytes);
    if (program->tasks != 0) {
        limit(RLIMIT_NPROC, (uint64_t)program->tasks - 1);
        if (getuid() == 0 && (setgroups(0, NULL) != 0 || setgid(OTHER_USER) != 0 || setuid(OTHER_USER) != 0))
            _exit(126);
    }
    if (program->address_bytes != 0)
        limit(RLIMIT_AS, program->address_bytes);
}

static void set_descriptors(const struct program *program, int output, int error)
{
    const int input = open(program->input != NULL ? program->input : "/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(error, 2) < 0)
        _exit(126);
}

/* Replaces this process by the program with its limits and descriptors. Does not return. */
static void become(const struct program *program, int output, int error)
{
    char path[512], threads[16];
    (void)snprintf(path, sizeof path, "%s/%s", getenv("SPMM_BIN"), program->arguments[0]);
    (void)snprintf(threads, sizeof threads, "%d", program->threads > 0 ? program->threads : 1);
    (void)setenv("OMP_NUM_THREADS", threads, 1);
    (void)setenv("OMP_WAIT_POLICY", "passive", 1);
    (void)setenv("LC_ALL", "C", 1);
    set_descriptors(program, output, error);
    if (program->fault != NULL)
        tracer_begin();
    set_limits(program);
    (void)execv(path, (char *const *)(uintptr_t)program->arguments);
    _exit(126);
}

pid_t program_start(const struct program *program, int output, int error)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become(program, output, error);
    return child;
}

/* Collects the output of the program. It is a pipe, because some tests limit the size of files. */
struct printed {
    int reads, writes;
};

static struct printed printed_open(void)
{
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    (void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20); /* more than any test prints */
    return (struct printed){ends[0], ends[1]};
}

static void printed_take(struct printed printed, char *text)
{
    const ssize_t size = read(printed.reads, text, PROGRAM_TEXT_MAX - 1);
    text[size > 0 ? size : 0] = '\0';
    assert_int_equal(close(printed.reads), 0);
    assert_int_equal(close(printed.writes), 0);
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void program_run(const struct program *program, struct program_end *end)
{
    const struct printed output = printed_open(), error = printed_open();
    const double start = now();
    struct rusage usage = {0};
    int status = 0;
    memset(end, 0, sizeof *end);
    const pid_t child = program_start(program, output.writes, error.writes);
    if (program->fault != NULL)
        status = tracer_follow(child, program, end);
    else
        assert_int_equal(wait4(child, &status, 0, &usage), child);
    child_forget(child);
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->seconds = now() - start;
    end->peak_kib = usage.ru_maxrss;
    printed_take(output, end->output);
    printed_take(error, end->error);
}

void program_check_end(const struct program *program, const struct program_end *end)
{
    const bool is_documented = end->signal == 0 && end->code >= 0 && end->code <= 4;
    const bool is_said =
        end->code == 0 || strncmp(end->error, program->arguments[0], strlen(program->arguments[0])) == 0;
    if (is_documented && is_said)
        return;
    const struct fault none = {0}, *fault = program->fault != NULL ? program->fault : &none;
    fail_msg("%s %s ..: exit code %d, signal %d, fault %d number %d at call %lld %s(%lld), limits %llu %llu "
             "%lld, said: %s",
             program->arguments[0], program->arguments[1], end->code, end->signal, fault->kind, fault->number,
             (long long)fault->at, end->call, (long long)end->call_file,
             (unsigned long long)program->address_bytes, (unsigned long long)program->file_bytes,
             (long long)program->tasks, end->error);
}
