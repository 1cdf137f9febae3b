/* SPDX-License-Identifier: Apache-2.0 */
/* See tracer.h. */
#include "tracer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define THREADS_MAX 16
#define PATH_ARGUMENT_MAX 256

#ifdef __x86_64__

/* Lists the system calls that work on files and can fail. */
static const struct {
    long number;
    const char *name;
} counted[] = {
    {SYS_open, "open"},          {SYS_openat, "open"},       {SYS_read, "read"},
    {SYS_pread64, "read"},       {SYS_write, "write"},       {SYS_writev, "write"},
    {SYS_fsync, "fsync"},        {SYS_fdatasync, "fsync"},   {SYS_close, "close"},
    {SYS_linkat, "link"},        {SYS_rename, "rename"},     {SYS_renameat, "rename"},
    {SYS_unlink, "unlink"},      {SYS_fstat, "stat"},        {SYS_newfstatat, "stat"},
    {SYS_statx, "stat"},         {SYS_access, "access"},     {SYS_lseek, "lseek"},
    {SYS_ftruncate, "truncate"}, {SYS_readlink, "readlink"}, {SYS_getrandom, "getrandom"},
    {SYS_fchmod, "chmod"},
};

struct tracing {
    const struct program *program;
    struct program_end *end;
    bool is_counting;
    struct thread {
        pid_t id;
        bool is_inside; /* of a system call */
        bool is_refused;
        int error;
    } threads[THREADS_MAX];
};

static const char *name_of_call(long number)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (counted[i].number == number)
            return counted[i].name;
    return NULL;
}

static struct thread *thread_of(struct tracing *t, pid_t id)
{
    for (int i = 0; i < THREADS_MAX; i++) {
        if (t->threads[i].id == 0)
            t->threads[i] = (struct thread){.id = id};
        if (t->threads[i].id == id)
            return &t->threads[i];
    }
    fail_msg("the program has more than %d threads", THREADS_MAX);
    return NULL;
}

static bool names_folder(const struct tracing *t, pid_t id, unsigned long address)
{
    char path[PATH_ARGUMENT_MAX] = "";
    const struct iovec here = {path, sizeof path - 1}, there = {(void *)address, sizeof path - 1};
    if (process_vm_readv(id, &here, 1, &there, 1, 0) <= 0)
        for (size_t i = 0; i + 8 < sizeof path; i += 8) { /* the page may end earlier: copy word by word */
            const struct iovec word = {path + i, 8}, far = {(char *)address + i, 8};
            if (process_vm_readv(id, &word, 1, &far, 1, 0) != 8)
                break;
        }
    return strstr(path, t->program->folder) != NULL;
}

/* Handles the start of a system call: counts it, and applies the fault if this is the call that meets it. */
static void enter_call(struct tracing *t, struct thread *thread, struct user_regs_struct *r)
{
    const struct fault *fault = t->program->fault;
    const long number = (long)r->orig_rax;
    const char *name = name_of_call(number);
    const bool is_open = number == SYS_openat;
    if (name == NULL)
        return;
    if (!t->is_counting && is_open)
        t->is_counting = names_folder(t, thread->id, r->rsi);
    if (!t->is_counting)
        return;
    const bool is_met = t->end->calls++ == fault->at && fault->kind != FAULT_NONE;
    const bool is_unnamed = is_open && (r->rdx & O_TMPFILE) == O_TMPFILE;
    if (is_met) {
        strcpy(t->end->call, is_unnamed ? "open unnamed" : name);
        t->end->call_file = (int64_t)r->rdi;
    }
    if (is_met && fault->kind == FAULT_SIGNAL)
        (void)kill(thread->id, fault->number);
    if (is_met && fault->kind == FAULT_SHORT && (strcmp(name, "read") == 0 || number == SYS_write) &&
        r->rdx > 1)
        r->rdx = 1;
    thread->is_refused = (is_met && fault->kind == FAULT_ERROR) || (is_unnamed && fault->is_named_only);
    thread->error = is_met ? fault->number : EOPNOTSUPP;
    if (thread->is_refused)
        r->orig_rax = (unsigned long)-1;
    (void)ptrace(PTRACE_SETREGS, thread->id, NULL, r);
}

static void at_call(struct tracing *t, pid_t id)
{
    struct thread *thread = thread_of(t, id);
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, id, NULL, &r) != 0)
        return; /* the thread was killed */
    thread->is_inside = !thread->is_inside;
    if (thread->is_inside) {
        enter_call(t, thread, &r);
    } else if (thread->is_refused) {
        r.rax = (unsigned long long)-(long long)thread->error;
        thread->is_refused = false;
        (void)ptrace(PTRACE_SETREGS, id, NULL, &r);
    }
}

/* Returns the signal with which the stopped thread continues; 0: none. */
static int at_stop(struct tracing *t, pid_t id, int status)
{
    const int number = WSTOPSIG(status);
    if (number == (SIGTRAP | 0x80)) {
        at_call(t, id);
        return 0;
    }
    const bool is_of_tracer = number == SIGTRAP || number == SIGSTOP;
    return is_of_tracer ? 0 : number;
}

void tracer_begin(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(126);
    (void)raise(SIGSTOP);
}

int tracer_follow(pid_t child, const struct program *program, struct program_end *end)
{
    struct tracing t = {.program = program, .end = end};
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(
        ptrace(PTRACE_SETOPTIONS, child, NULL,
               PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL),
        0);
    (void)ptrace(PTRACE_SYSCALL, child, NULL, 0);
    for (;;) {
        const pid_t id = waitpid(-1, &status, __WALL);
        assert_true(id > 0);
        if (WIFSTOPPED(status))
            (void)ptrace(PTRACE_SYSCALL, id, NULL, at_stop(&t, id, status));
        else if (id == child)
            return status;
    }
}

bool tracer_works(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        tracer_begin();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    const bool works = WIFSTOPPED(status);
    if (works) {
        (void)kill(child, SIGKILL);
        (void)waitpid(child, &status, 0);
    } else if (getenv("SPMM_TESTS_RUN") != NULL) {
        fail_msg("programs cannot be traced here");
    }
    return works;
}

#else

bool tracer_works(void)
{
    return false; /* only the registers of x86-64 are known */
}

void tracer_begin(void)
{
}

int tracer_follow(pid_t child, const struct program *program, struct program_end *end)
{
    (void)child, (void)program, (void)end;
    return 0;
}

#endif
