/* SPDX-License-Identifier: Apache-2.0 */
/* See timing.h. */
#include "timing.h"

#include <stdlib.h>
#include <string.h>

#include "format/base/team.h"
#include "tools/cli/fail.h"
#include "gpu.h"
#include "tools/cli/progress.h"

#define FLUSH_BYTES (256 << 20)
#define FLUSH_CHUNK (1 << 20)
#define FLUSH_MS_GPU 0.2 /* approximate time of a flush */
#define FLUSH_MS_CPU 40.0

struct stopwatch {
    int device;
    struct device_block flush;
    struct gpu_event *from[TIMING_REPEATS_MAX], *to[TIMING_REPEATS_MAX]; /* created when first needed */
    double ms[TIMING_REPEATS_MAX];
};

spmm_status_t stopwatch_create(int device, struct stopwatch **watch, spmm_diag_t *diag)
{
    struct stopwatch *made = calloc(1, sizeof *made);
    spmm_status_t status = SPMM_OK;
    *watch = NULL;
    if (made == NULL)
        return fail_memory(diag, sizeof *made, "a stopwatch");
    made->device = device;
    TRY(device_block_reserve(&made->flush, device, FLUSH_BYTES, diag));
    TRY(device_fill(&made->flush, 0, FLUSH_BYTES, diag));
    *watch = made;
    made = NULL;
cleanup:
    stopwatch_destroy(made);
    return status;
}

void stopwatch_destroy(struct stopwatch *watch)
{
    if (watch == NULL)
        return;
    for (int i = 0; i < TIMING_REPEATS_MAX; i++) {
        gpu_event_destroy(watch->from[i]);
        gpu_event_destroy(watch->to[i]);
    }
    device_block_free(&watch->flush);
    free(watch);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *ms, int count)
{
    qsort(ms, (size_t)count, sizeof *ms, compare_doubles);
    return count % 2 != 0 ? ms[count / 2] : 0.5 * (ms[count / 2 - 1] + ms[count / 2]);
}

static spmm_status_t flush(struct stopwatch *watch, int byte, spmm_diag_t *diag)
{
    if (watch->device >= 0)
        return device_fill(&watch->flush, byte, FLUSH_BYTES, diag);
    /* Every core writes, because every core has its own caches. */
    char *const data = watch->flush.data;
#pragma omp parallel for num_threads(spmmi_team(0)) schedule(static)
    for (int64_t chunk = 0; chunk < FLUSH_BYTES / FLUSH_CHUNK; chunk++)
        memset(data + chunk * FLUSH_CHUNK, byte, FLUSH_CHUNK);
    return SPMM_OK;
}

static spmm_status_t make_events(struct stopwatch *watch, int count, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int r = 0; r < count; r++) {
        if (watch->from[r] == NULL)
            TRY(gpu_event_create(&watch->from[r], diag));
        if (watch->to[r] == NULL)
            TRY(gpu_event_create(&watch->to[r], diag));
    }
cleanup:
    return status;
}

/* Enqueues all repeats and then reads their times. The flush in front of each call keeps the GPU busy while
 * the host enqueues the call, so that the events do not measure the host. */
static spmm_status_t time_gpu_cold(struct stopwatch *watch, timing_fn fn, void *context, int repeats,
                                   double *ms, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    TRY(make_events(watch, repeats, diag));
    for (int r = 0; r < repeats; r++) {
        TRY(flush(watch, r & 0x7f, diag));
        TRY(gpu_event_record(watch->from[r], diag));
        TRY(fn(context, diag));
        TRY(gpu_event_record(watch->to[r], diag));
    }
    TRY(gpu_synchronize(diag));
    for (int r = 0; r < repeats; r++)
        TRY(gpu_event_elapsed(watch->from[r], watch->to[r], &watch->ms[r], diag));
    *ms = median(watch->ms, repeats);
cleanup:
    return status;
}

/* Enqueues all calls between two events: an event after each call would keep the next one from starting
 * early. Two flushes run first, to keep the GPU busy as in time_gpu_cold, and then up to two untimed calls,
 * which bring the data back into the caches. */
static spmm_status_t time_gpu_warm(struct stopwatch *watch, timing_fn fn, void *context, int repeats,
                                   double *ms, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    TRY(make_events(watch, 1, diag));
    for (int r = 0; r < 2; r++)
        TRY(flush(watch, r, diag));
    for (int r = 0; r < 2 && r < repeats; r++)
        TRY(fn(context, diag));
    TRY(gpu_event_record(watch->from[0], diag));
    for (int r = 0; r < repeats; r++)
        TRY(fn(context, diag));
    TRY(gpu_event_record(watch->to[0], diag));
    TRY(gpu_synchronize(diag));
    TRY(gpu_event_elapsed(watch->from[0], watch->to[0], ms, diag));
    *ms /= repeats;
cleanup:
    return status;
}

static spmm_status_t time_gpu(struct stopwatch *watch, timing_fn fn, void *context, int repeats, int is_cold,
                              double *ms, spmm_diag_t *diag)
{
    return (is_cold ? time_gpu_cold : time_gpu_warm)(watch, fn, context, repeats, ms, diag);
}

static spmm_status_t time_cpu(struct stopwatch *watch, timing_fn fn, void *context, int repeats, int is_cold,
                              double *ms, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    for (int r = 0; r < repeats; r++) {
        if (is_cold)
            TRY(flush(watch, r & 0x7f, diag));
        const double start = progress_seconds();
        TRY(fn(context, diag));
        watch->ms[r] = 1e3 * (progress_seconds() - start);
    }
    *ms = median(watch->ms, repeats);
cleanup:
    return status;
}

struct timing_rule timing_rule_of(int repeats)
{
    const int most = repeats < 0 ? TIMING_REPEATS_MAX : repeats;
    return (struct timing_rule){.repeats = most,
                                .repeats_slow = most,
                                .repeats_min = repeats < 0 ? 5 : most,
                                .slow_ms = 1e9,
                                .max_seconds = 1.0};
}

/* Returns the number of repeats of a call that takes ms, if each repeat also needs ms_between for the flush
 * and all of them may take half of max_seconds. */
static int repeats_for(const struct timing_rule *rule, double ms, double ms_between)
{
    const double affordable = 500.0 * rule->max_seconds / (ms + ms_between + 1e-3);
    int repeats = ms > rule->slow_ms ? rule->repeats_slow : rule->repeats;
    if (affordable < (double)repeats)
        repeats = (int)affordable;
    if (repeats < rule->repeats_min)
        repeats = rule->repeats_min;
    return repeats < 1 ? 1 : repeats > TIMING_REPEATS_MAX ? TIMING_REPEATS_MAX : repeats;
}

spmm_status_t stopwatch_measure(struct stopwatch *watch, timing_fn fn, void *context,
                                const struct timing_rule *rule, struct timing *timing, spmm_diag_t *diag)
{
    spmm_status_t (*const timer)(struct stopwatch *, timing_fn, void *, int, int, double *, spmm_diag_t *) =
        watch->device >= 0 ? time_gpu : time_cpu;
    spmm_status_t status = SPMM_OK;
    double ms = 0.0;
    *timing = (struct timing){0};

    if (!rule->has_run)
        TRY(fn(context, diag));
    TRY(device_synchronize(watch->device, diag));
    TRY(timer(watch, fn, context, 1, 1, &ms, diag));
    const int is_once = rule->once_ms > 0.0 && ms > rule->once_ms;
    timing->ms_cold = ms;
    timing->repeats_cold =
        is_once ? 1 : repeats_for(rule, ms, watch->device >= 0 ? FLUSH_MS_GPU : FLUSH_MS_CPU);
    if (!is_once)
        TRY(timer(watch, fn, context, timing->repeats_cold, 1, &timing->ms_cold, diag));
    if (rule->is_cold_only)
        goto cleanup;
    timing->repeats_warm = is_once ? 1 : repeats_for(rule, ms, 0.0);
    TRY(timer(watch, fn, context, timing->repeats_warm, 0, &timing->ms_warm, diag));
cleanup:
    return status;
}
