/* SPDX-License-Identifier: Apache-2.0 */
/* How long does a call take, on a GPU (events around it) or on the CPU (the monotonic clock)?
 * cold: 256 MB are written between repeats, so that A, B and C have left every cache. warm: back to back; on a GPU the
 * time of a whole row of calls over their number, so that a call may begin while the one before ends. */
#ifndef SPMM_TOOLS_TIMING_H
#define SPMM_TOOLS_TIMING_H

#include "device_memory.h"

/* Enqueues (GPU, default stream) or does (CPU) the work once. */
typedef spmm_status_t (*timing_fn)(void *context, spmm_diag_t *diag);

struct stopwatch; /* events and the block that flushes the caches */
spmm_status_t stopwatch_create(int device, struct stopwatch **watch, spmm_diag_t *diag);
void stopwatch_destroy(struct stopwatch *watch);

struct timing_rule {
    int repeats;      /* timed calls, of which the median counts; at most TIMING_REPEATS_MAX */
    int repeats_slow; /* the same for a call of more than slow_ms */
    int repeats_min;  /* even if they take longer than max_seconds; at least 1 */
    double slow_ms;
    double max_seconds; /* stop repeating after about this long */
    int is_cold_only;   /* 1: the warm value is not wanted and stays 0 */
    double once_ms;     /* a call of more than this, cold, is timed once; 0: no limit */
    int has_run;        /* 1: the caller has run it once, so that no untimed call is needed */
};
#define TIMING_REPEATS_MAX 1000
/* Of one product: this many calls; below 0: half a second, and at least 5. */
struct timing_rule timing_rule_of(int repeats);

struct timing {
    double ms_cold, ms_warm; /* medians; warm on a GPU: a mean */
    int repeats_cold, repeats_warm;
};

/* The metrics that are wanted. One untimed call comes first, unless the rule says that there was one. */
spmm_status_t stopwatch_measure(struct stopwatch *watch, timing_fn fn, void *context,
                                const struct timing_rule *rule, struct timing *timing, spmm_diag_t *diag);

#endif
