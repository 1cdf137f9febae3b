/* SPDX-License-Identifier: Apache-2.0 */
/* See signals.h. */
#include "signals.h"

#include <stdatomic.h>
#include <unistd.h>

static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT,   SIGTERM, SIGXCPU, SIGPIPE, SIGALRM,
                             SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT};

/* Any thread may receive a signal. The state ensures that only one handler uses the file and that the file
 * stays valid meanwhile. */
enum { NO_FILE, GUARDED, ENDING };
static atomic_int state = NO_FILE;
static const struct spmmi_new_file *guarded;

/* Blocks this thread while another thread ends the program. */
static void wait_for_the_end(void)
{
    for (;;)
        (void)pause();
}

/* The signal handler. The signal is blocked until the handler returns, and then ends the program. */
static void remove_and_end(int number)
{
    const int before = atomic_exchange(&state, ENDING);
    if (before == ENDING)
        wait_for_the_end();
    if (before == GUARDED)
        spmmi_new_file_remove(guarded);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void replace(void (*from)(int), void (*to)(int))
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) != 0 || action.sa_handler != from)
            continue;
        action.sa_handler = to;
        (void)sigfillset(&action.sa_mask);
        (void)sigaction(ending[i], &action, NULL);
    }
}

void signals_start(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
}

void signals_guard(const struct spmmi_new_file *file)
{
    guarded = file;
    atomic_store(&state, GUARDED);
    replace(SIG_DFL, remove_and_end);
}

void signals_release(void)
{
    int before = GUARDED;
    if (!atomic_compare_exchange_strong(&state, &before, NO_FILE) && before == ENDING)
        wait_for_the_end();
    replace(remove_and_end, SIG_DFL);
}
