/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller of spmm_inspect asked for, checked and with defaults filled in (inspect_options.h). */
#ifndef SPMMI_REQUEST_H
#define SPMMI_REQUEST_H

#include <spmm/inspector.h>

#include "inspector/cost/device_profile.h"

#define SPMMI_BALANCE_U_MIN 0.65 /* thresholds of the chart, where nobody says: the paper's */
#define SPMMI_BALANCE_CV_MAX 1.0

struct spmmi_request {
    spmm_inspect_options_t options;
    struct spmmi_device_profile device;
    spmm_family_t family;     /* 0: choose */
    spmm_schedule_t schedule; /* 0: choose within the family */
    spmm_compute_t tensor;    /* how tensor cores multiply; 0: they may not be chosen */
    int threads;
};

#endif
