/* SPDX-License-Identifier: Apache-2.0 */
/* Times candidates for the inspector on this machine: variants for the CPU on the CPU, all others on its first GPU. */
#ifndef SPMM_TOOLS_TUNER_H
#define SPMM_TOOLS_TUNER_H

#include <stdbool.h>

#include "plan_device.h"
#include "tune_device.h"
#include "tools/cli/progress.h"

enum { TUNER_CPU, TUNER_GPU, TUNER_DEVICES };

/* What was done, for the report. */
struct tune_summary {
    bool is_wanted;        /* candidates were to be timed */
    double expected_calls; /* that the plan was chosen for; 0: not said */
    int64_t measured, refused;
    double seconds;
    char refusal[160];               /* why the first of those was refused */
    char devices[TUNER_DEVICES][64]; /* "": nothing was timed there */
};

struct tuner {
    int threads; /* CPU; 0 = OpenMP's default */
    struct progress *progress;
    bool is_open[TUNER_DEVICES];
    struct tune_device devices[TUNER_DEVICES];
    struct tune_summary summary;
};

/* Is there what a plan for each of these devices can be timed on? Errors: NO_DEVICE with a sentence, and those of
 * spmm_inspect. */
spmm_status_t tuner_check_devices(const struct plan_device *devices, spmm_diag_t *diag);

/* A spmm_measure_fn: context is a struct tuner *, of which threads and progress are set and the rest is zero. */
spmm_status_t tuner_measure(void *context, const spmm_plan_t *plan, spmm_op_t op, int64_t n,
                            spmm_layout_t layout, double *us);
void tuner_close(struct tuner *tuner); /* the summary stays */

#endif
