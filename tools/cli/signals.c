/* SPDX-License-Identifier: Apache-2.0 */
/* See signals.h. */
#include "signals.h"

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
static const struct spmmi_new_file *volatile guarded;

/* The signal is blocked until the handler returns, and ends the program then. */
static void remove_and_end(int number)
{
    const struct spmmi_new_file *file = guarded;
    if (file != NULL)
        spmmi_new_file_remove(file);
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
    replace(SIG_DFL, remove_and_end);
}

void signals_release(void)
{
    replace(remove_and_end, SIG_DFL);
    guarded = NULL;
}
