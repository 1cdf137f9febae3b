/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an inspection, checked and with defaults filled in. */
#ifndef SPMMI_INSPECT_OPTIONS_H
#define SPMMI_INSPECT_OPTIONS_H

#include <spmm/inspector.h>

#include "request.h"

/* Checks the options and fills in *request. options may be NULL. Errors: ARGUMENT with a one-sentence
 * message; UNSUPPORTED (types); IO and MEMORY (profile file). */
spmm_status_t spmmi_inspect_options(const spmm_inspect_options_t *options, struct spmmi_request *request,
                                    spmm_diag_t *diag);

/* Checks the options about the forced kernel, and sets how values are multiplied. Errors: ARGUMENT,
 * UNSUPPORTED (types). */
spmm_status_t spmmi_kernel_options(struct spmmi_request *request, spmm_diag_t *diag);

#endif
