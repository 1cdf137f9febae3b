/* SPDX-License-Identifier: Apache-2.0 */
/* The requests of an inspection: one for each value type and device that the caller named, and one per type
 * for the CPU "beside" these devices, which the caller did not name. */
#ifndef SPMMI_REQUESTS_H
#define SPMMI_REQUESTS_H

#include "request.h"

struct spmmi_requests {
    /* Owned. The requests differ only in type, device and kernel; the first one has the widest type. */
    struct spmmi_request *list;
    int count;
};

/* Checks the options for each type and device and makes the requests. No two devices may have the same
 * target. A request for the CPU is added if the caller named no CPU, unless the plan permutes the rows of C:
 * that would apply to all devices. options may be NULL. Errors: as spmmi_inspect_options; MEMORY. */
spmm_status_t spmmi_requests_make(const spmm_inspect_options_t *options, struct spmmi_requests *requests,
                                  spmm_diag_t *diag);
void spmmi_requests_free(struct spmmi_requests *requests); /* also accepts a struct that is all zero */

#endif
