/* SPDX-License-Identifier: Apache-2.0 */
/* See team.h. */
#include "team.h"

#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "format/base/log.h"

#define RESERVE_BYTES ((size_t)2 << 20) /* for what OpenMP allocates for a team, and malloc's overhead */
#define GONE_TRIES 1000

/* State of the calling thread. */
static _Thread_local int size = 1; /* threads of its team after the last region of this library */
static _Thread_local int is_told;  /* whether the warning about too few threads was logged */

struct trial {
    pthread_mutex_t gate; /* locked until all threads have been started */
    struct member {
        struct trial *trial;
        pthread_t thread;
        pid_t id;
    } members[SPMMI_TEAM_MAX];
};

static void *wait_at_gate(void *context)
{
    struct member *member = context;
    member->id = (pid_t)syscall(SYS_gettid);
    (void)pthread_mutex_lock(&member->trial->gate);
    (void)pthread_mutex_unlock(&member->trial->gate);
    return NULL;
}

/* Waits until the kernel has released the id of a joined
 * thread, which counts against the limits until then. */
static void wait_until_gone(pid_t id)
{
    const pid_t process = getpid();
    for (int i = 0; i < GONE_TRIES && syscall(SYS_tgkill, process, id, 0) == 0; i++)
        (void)sched_yield();
}

/* Returns the stack size of OMP_STACKSIZE or GOMP_STACKSIZE in bytes, or 0 if neither is set or the value is
 * not usable. The variables hold a number of KiB, or a number followed by its unit. */
static size_t stack_bytes(void)
{
    static const char units[] = "bkmg";
    const char *text = getenv("OMP_STACKSIZE");
    if (text == NULL)
        text = getenv("GOMP_STACKSIZE");
    if (text == NULL)
        return 0;
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    int shift = 10;
    for (int i = 0; units[i] != '\0'; i++)
        if (tolower((unsigned char)*end) == units[i])
            shift = 10 * i;
    return number <= (SIZE_MAX >> shift) ? (size_t)number << shift : 0;
}

/* Starts up to `wanted` threads that exist at the same time, and joins them.
 * Returns the number that started. */
static int start_threads(int wanted)
{
    struct trial trial = {.gate = PTHREAD_MUTEX_INITIALIZER};
    pthread_attr_t attributes;
    int count = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    if (stack_bytes() != 0) /* if the size is refused here, OpenMP refuses it too and uses the default */
        (void)pthread_attr_setstacksize(&attributes, stack_bytes());
    (void)pthread_mutex_lock(&trial.gate);
    for (; count < wanted; count++) {
        struct member *member = &trial.members[count];
        member->trial = &trial;
        if (pthread_create(&member->thread, &attributes, wait_at_gate, member) != 0)
            break;
    }
    (void)pthread_mutex_unlock(&trial.gate);
    for (int i = 0; i < count; i++)
        (void)pthread_join(trial.members[i].thread, NULL);
    for (int i = 0; i < count; i++)
        wait_until_gone(trial.members[i].id);
    (void)pthread_attr_destroy(&attributes);
    return count;
}

/* Returns the number of additional threads that OpenMP can start now, at most `wanted`. */
static int try_threads(int wanted)
{
    void *reserve =
        mmap(NULL, RESERVE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserve == MAP_FAILED)
        return 0;
    const int count = start_threads(wanted);
    (void)munmap(reserve, RESERVE_BYTES);
    return count;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int spmmi_team_clamp(int threads, const char *who)
{
    if (threads > SPMMI_TEAM_MAX)
        spmmi_log(SPMM_LOG_WARNING, "%d threads were asked for, %s takes at most %d", threads, who,
                  SPMMI_TEAM_MAX);
    return smaller(threads, SPMMI_TEAM_MAX);
}

/* Returns the number of threads that a region would get if every thread could be started. */
static int threads_of(int wanted)
{
    if (wanted == 1 || omp_get_active_level() >= omp_get_max_active_levels())
        return 1;
    const int threads = wanted > 0 ? wanted : omp_get_max_threads();
    return smaller(smaller(threads, omp_get_thread_limit()), SPMMI_TEAM_MAX);
}

/* Returns how many of `threads` threads a team that has `from` threads now can have.
 * Warns once if they are fewer. */
static int grow(int from, int threads)
{
    const int possible = from + try_threads(threads - from);
    if (possible < threads && !is_told)
        spmmi_log(SPMM_LOG_WARNING, "%d threads were asked for, %d can be started", threads, possible);
    is_told |= possible < threads;
    return possible;
}

int spmmi_team(int wanted)
{
    int threads = threads_of(wanted);
    if (threads <= 1)
        return 1; /* a region of one thread does not change the team */
    const int is_kept = omp_get_level() == 0;
    const int from = is_kept ? size : 1; /* a nested team ends with its region */
    if (threads > from)
        threads = grow(from, threads);
    if (is_kept && threads > 1)
        size = threads;
    return threads;
}
