/* SPDX-License-Identifier: Apache-2.0 */
/* See progress.h. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_BETWEEN 0.1 /* a shorter interval flickers */

double progress_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(struct progress *p, bool quiet)
{
    *p = (struct progress){.enabled = !quiet && isatty(STDERR_FILENO), .last_time = progress_seconds()};
}

void progress_report(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct progress *p = context;
    const double now = progress_seconds();
    if (!p->enabled || now - p->last_time < SECONDS_BETWEEN)
        return;
    p->last_time = now;
    p->shown = true;
    if (total > 0)
        fprintf(stderr, "\r\033[K%s %d%%", stage, (int)(100.0 * (double)done / (double)total));
    else
        fprintf(stderr, "\r\033[K%s", stage);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
