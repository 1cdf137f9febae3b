/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller of spmm_inspect asked for, checked and with defaults filled in. */
#ifndef SPMMI_INSPECT_OPTIONS_H
#define SPMMI_INSPECT_OPTIONS_H

#include <spmm/inspector.h>

#include "inspector/cost/device_profile.h"

struct spmmi_request {
    spmm_inspect_options_t options;
    struct spmmi_device_profile device;
    spmm_family_t family;     /* 0: choose */
    spmm_schedule_t schedule; /* 0: choose within the family */
    spmm_compute_t tensor;    /* how tensor cores multiply; 0: they may not be chosen */
    int threads;
};

/* Errors: ARGUMENT with one sentence; IO and MEMORY of a profile file. options may be NULL. */
spmm_status_t spmmi_inspect_options(const spmm_inspect_options_t *options, struct spmmi_request *request,
                                    spmm_diag_t *diag);

#endif
