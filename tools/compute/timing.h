/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the time of a call with events on a GPU, or with the monotonic clock on the CPU. cold: 256 MB are
 * written between repeats, so that A, B and C are in no cache. warm: the calls run back to back; on a GPU the
 * time of all calls is divided by their number, because a call may begin before the previous one ends. */
#ifndef SPMM_TOOLS_TIMING_H
#define SPMM_TOOLS_TIMING_H

#include "device_memory.h"

/* Does the work once; on a GPU only enqueues it on the default stream. */
typedef spmm_status_t (*timing_fn)(void *context, spmm_diag_t *diag);

struct stopwatch; /* events, and the block that is written to flush the caches */
spmm_status_t stopwatch_create(int device, struct stopwatch **watch, spmm_diag_t *diag);
void stopwatch_destroy(struct stopwatch *watch);

struct timing_rule {
    int repeats;      /* number of timed calls, of which the median is used; at most TIMING_REPEATS_MAX */
    int repeats_slow; /* the same if a call takes more than slow_ms */
    int repeats_min;  /* minimum, even if the calls take longer than max_seconds; at least 1 */
    double slow_ms;
    double max_seconds; /* the repeats together take at most about this time */
    int is_cold_only;   /* 1: the warm time is not measured and is 0 */
    double once_ms;     /* a call that takes longer than this (cold) is timed only once; 0: no limit */
    int has_run;        /* 1: the caller has already run the product, so no untimed call is needed */
};
#define TIMING_REPEATS_MAX 1000
/* Returns the rule for timing one product: the given number of calls, or, if repeats is negative, as many as
 * fit in half a second, but at least 5. */
struct timing_rule timing_rule_of(int repeats);

struct timing {
    double ms_cold, ms_warm; /* medians; on a GPU the warm time is a mean */
    int repeats_cold, repeats_warm;
};

/* Measures the times that the rule asks for. One untimed call runs first, unless the rule says that there was
 * one. */
spmm_status_t stopwatch_measure(struct stopwatch *watch, timing_fn fn, void *context,
                                const struct timing_rule *rule, struct timing *timing, spmm_diag_t *diag);

#endif
