/* SPDX-License-Identifier: Apache-2.0 */
/* One line of progress on stderr, rewritten in place; only for a terminal, erased at the end. */
#ifndef SPMM_TOOLS_PROGRESS_H
#define SPMM_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool enabled;     /* stderr is a terminal and the user did not ask for quiet */
    bool shown;       /* a line is on the screen */
    double last_time; /* at which it was printed, in seconds */
};

void progress_start(struct progress *p, bool quiet);

/* A spmm_progress_fn: context is a struct progress *. total 0 = unknown. */
void progress_report(void *context, const char *stage, uint64_t done, uint64_t total);

/* Erase the line; call before printing anything else. */
void progress_end(struct progress *p);

/* Seconds of a clock that only goes forward. */
double progress_seconds(void);

#endif
