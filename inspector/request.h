/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an inspection, checked and with defaults filled in (inspect_options.h). */
#ifndef SPMMI_REQUEST_H
#define SPMMI_REQUEST_H

#include <spmm/inspector.h>
#include <stdbool.h>

#include "inspector/cost/device_profile.h"

#define SPMMI_BALANCE_U_MIN 0.65 /* default thresholds of the decision chart, from paper 000 */
#define SPMMI_BALANCE_CV_MAX 1.0

/* A kernel that the caller named. */
struct spmmi_forced_kernel {
    spmm_family_t family;     /* 0: the inspector chooses */
    spmm_schedule_t schedule; /* 0: the inspector chooses within the family */
};

struct spmmi_request {
    spmm_inspect_options_t options; /* its pointers to the three structs below are NULL */
    spmm_tiled_options_t tiled;
    spmm_tcblock_options_t tcblock;
    spmm_tuning_options_t tuning;
    struct spmmi_device_profile device;
    spmm_family_t family;              /* 0: the inspector chooses */
    spmm_schedule_t schedule;          /* 0: the inspector chooses within the family */
    struct spmmi_forced_kernel on_cpu; /* the kernel to use for the CPU beside the device */
    /* The caller named a kernel of GPUs, or of the CPU beside the device. */
    bool gpu_is_named, cpu_is_named;
    /* The request is for the CPU beside the devices that the caller named. It is dropped if no time can be
     * predicted and the caller named no kernel of the CPU. */
    bool is_beside;
    spmm_compute_t tensor; /* compute type of tensor cores; 0: they may not be chosen */
    int threads;
};

#endif
