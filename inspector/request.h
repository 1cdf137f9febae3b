/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an inspection, checked and with defaults filled in (inspect_options.h). */
#ifndef SPMMI_REQUEST_H
#define SPMMI_REQUEST_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "inspector/cost/device_profile.h"

#define SPMMI_BALANCE_U_MIN 0.65 /* default thresholds of the decision chart: those of paper 000 */
#define SPMMI_BALANCE_CV_MAX 1.0

/* A kernel that the caller named. */
struct spmmi_forced_kernel {
    spmm_family_t family;     /* 0: choose */
    spmm_schedule_t schedule; /* 0: choose within the family */
};

struct spmmi_request {
    spmm_inspect_options_t options; /* its pointers to the three below are NULL */
    spmm_tiled_options_t tiled;
    spmm_tcblock_options_t tcblock;
    spmm_tuning_options_t tuning;
    struct spmmi_device_profile device;
    spmm_family_t family;              /* 0: choose */
    spmm_schedule_t schedule;          /* 0: choose within the family */
    struct spmmi_forced_kernel on_cpu; /* the same for a CPU beside the device */
    bool gpu_is_named, cpu_is_named; /* the caller named a kernel of GPUs, or of the CPU beside the device */
    bool is_beside;        /* for the CPU beside devices that the caller named: not if nothing is predicted */
    spmm_compute_t tensor; /* how tensor cores multiply; 0: they may not be chosen */
    int threads;
};

#endif
