/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an inspection, checked and with defaults filled in. */
#ifndef SPMMI_INSPECT_OPTIONS_H
#define SPMMI_INSPECT_OPTIONS_H

#include <spmm/inspector.h>

#include "request.h"

/* Errors: ARGUMENT with one sentence; UNSUPPORTED types; IO and MEMORY of a profile file. options may be NULL. */
spmm_status_t spmmi_inspect_options(const spmm_inspect_options_t *options, struct spmmi_request *request,
                                    spmm_diag_t *diag);

/* The part of it that concerns the kernel to be forced and how values are multiplied. Errors: ARGUMENT. */
spmm_status_t spmmi_kernel_options(struct spmmi_request *request, spmm_diag_t *diag);

#endif
