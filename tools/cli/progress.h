/* SPDX-License-Identifier: Apache-2.0 */
/* One progress line on stderr, rewritten in place. It is shown only on a terminal and erased at the end. */
#ifndef SPMM_TOOLS_PROGRESS_H
#define SPMM_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool enabled;     /* stderr is a terminal and the user did not ask for quiet */
    bool shown;       /* a line is on the screen */
    double last_time; /* time at which the line was printed, in seconds */
};

void progress_start(struct progress *p, bool quiet);

/* A spmm_progress_fn: context is a struct progress *. total is 0 if unknown. */
void progress_report(void *context, const char *stage, uint64_t done, uint64_t total);

/* Erases the line. Call it before printing anything else. */
void progress_end(struct progress *p);

/* Returns the time of a monotonic clock, in seconds. */
double progress_seconds(void);

#endif
