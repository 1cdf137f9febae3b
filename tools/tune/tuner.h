/* SPDX-License-Identifier: Apache-2.0 */
/* Times candidates for the inspector on this machine: CPU variants on the CPU, all others on GPU 0. */
#ifndef SPMM_TOOLS_TUNER_H
#define SPMM_TOOLS_TUNER_H

#include <stdbool.h>

#include "plan_device.h"
#include "tune_device.h"
#include "tools/cli/progress.h"

enum { TUNER_CPU, TUNER_GPU, TUNER_DEVICES };

/* What was timed, for the report. */
struct tune_summary {
    bool is_wanted;        /* tuning was requested */
    double expected_calls; /* number of products that the plan was chosen for; 0: unknown */
    int64_t measured, refused;
    double seconds;
    char refusal[160];               /* why the first refused candidate was refused */
    char devices[TUNER_DEVICES][64]; /* names of the devices; "" if nothing was timed there */
};

struct tuner {
    int threads; /* CPU threads; 0: OpenMP's default */
    struct progress *progress;
    bool is_open[TUNER_DEVICES];
    struct tune_device devices[TUNER_DEVICES];
    struct tune_summary summary;
};

/* Checks that plans for each of these devices can be timed on this machine. Errors: NO_DEVICE with a
 * sentence, and those of spmm_inspect. */
spmm_status_t tuner_check_devices(const struct plan_device *devices, spmm_diag_t *diag);

/* A spmm_measure_fn. context is a struct tuner *; before the first call, threads and progress are set and the
 * rest is zero. */
spmm_status_t tuner_measure(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                            spmm_layout_t layout, double *us);
void tuner_close(struct tuner *tuner); /* keeps the summary */

#endif
