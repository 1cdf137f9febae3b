/* SPDX-License-Identifier: Apache-2.0 */
/* See specialised_measure.h. */
#include "specialised_measure.h"

#include <stdlib.h>

#include "tools/cli/fail.h"
#include "tools/cli/progress.h"
#include "tools/compute/gpu.h"

#define SETUPS 3
#define HOST_CALLS 15
#define HOST_CALLS_SLOW 3 /* number of calls if a product takes longer than SLOW_MS */
#define SLOW_MS 5.0

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    return times[count / 2];
}

/* Makes the method ready and waits for the GPU, since uploads may still run. *ms: the time of both. */
static spmm_status_t make(const struct method *method, const struct method_case *of, void **state, double *ms,
                          spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *state = calloc(1, method->state_bytes);
    if (*state == NULL)
        return fail_memory(diag, method->state_bytes, "a method");
    const double start = progress_seconds();
    TRY(method->make(method->kind, of, *state, diag));
    TRY(gpu_synchronize(diag));
    *ms = 1e3 * (progress_seconds() - start);
cleanup:
    return status;
}

static void drop(const struct method *method, void **state)
{
    if (*state != NULL)
        method->drop(*state);
    free(*state);
    *state = NULL;
}

static spmm_status_t time_setup(const struct method *method, const struct method_case *of,
                                struct measured *measured, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    double ms[SETUPS];
    void *state = NULL;
    TRY(make(method, of, &state, &measured->first_ms, diag));
    for (int i = 0; i < SETUPS; i++) {
        drop(method, &state);
        TRY(make(method, of, &state, &ms[i], diag));
    }
    measured->setup_ms = median(ms, SETUPS);
cleanup:
    drop(method, &state);
    return status;
}

/* Measures the host time of calls. The queue of the GPU is empty at first and never full. */
static spmm_status_t time_host(const struct method *method, void *state, struct measured *measured,
                               spmm_diag_t *diag)
{
    const int calls = measured->result.ms_cold > SLOW_MS ? HOST_CALLS_SLOW : HOST_CALLS;
    spmm_status_t status = SPMM_OK;
    double us[HOST_CALLS];
    TRY(gpu_synchronize(diag));
    for (int i = 0; i < calls; i++) {
        const double start = progress_seconds();
        TRY(method->run(state, diag));
        us[i] = 1e6 * (progress_seconds() - start);
    }
    measured->host_us = median(us, calls);
    TRY(gpu_synchronize(diag));
cleanup:
    return status;
}

spmm_status_t measure_method(const struct method *method, const struct method_case *of,
                             struct bench_site *site, struct measured *measured, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    uint64_t before = 0, after = 0;
    double ms = 0;
    void *state = NULL;
    *measured = (struct measured){.result = {.status = SPMM_OK}};
    TRY(time_setup(method, of, measured, diag));
    TRY(gpu_memory_free(&before, diag));
    TRY(make(method, of, &state, &ms, diag));
    TRY(gpu_memory_free(&after, diag));
    measured->taken_bytes = before > after ? before - after : 0;
    method->describe(state, &measured->facts);
    measured->result.arithmetic = measured->facts.arithmetic;
    bench_site_measure(site, method->run, state, &measured->result);
    if (measured->result.status != SPMM_OK) {
        status = fail(diag, measured->result.status, "%s", measured->result.note);
        goto cleanup;
    }
    TRY(time_host(method, state, measured, diag));
cleanup:
    drop(method, &state);
    return status;
}

spmm_status_t count_method(const struct method *method, const struct method_case *of, struct counted *counted,
                           spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    double ms = 0;
    void *state = NULL;
    TRY(make(method, of, &state, &ms, diag)); /* the first use loads the kernels */
    TRY(method->run(state, diag));
    TRY(gpu_synchronize(diag));
    drop(method, &state);
    state = calloc(1, method->state_bytes);
    if (state == NULL)
        return fail_memory(diag, method->state_bytes, "a method");
    api_calls_start();
    TRY(method->make(method->kind, of, state, diag));
    counted->setup = api_calls_now();
    TRY(gpu_synchronize(diag));
    api_calls_start();
    TRY(method->run(state, diag));
    counted->product = api_calls_now();
    TRY(gpu_synchronize(diag));
    api_calls_start();
    drop(method, &state);
    counted->end = api_calls_now();
cleanup:
    drop(method, &state);
    return status;
}
