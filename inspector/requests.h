/* SPDX-License-Identifier: Apache-2.0 */
/* What an inspection searches for: for each type of values each device that the caller named, and the CPU beside
 * them. */
#ifndef SPMMI_REQUESTS_H
#define SPMMI_REQUESTS_H

#include "request.h"

struct spmmi_requests {
    struct spmmi_request
        *list; /* owned; the same but for type, device and kernel; the first is of the widest type */
    int count;
};

/* The options, checked for each type and device. No two devices have the same target. The CPU is beside them where
 * nobody named it, unless the plan permutes the rows of C, as that holds for all devices. options may be NULL.
 * Errors: as spmmi_inspect_options; MEMORY. */
spmm_status_t spmmi_requests_make(const spmm_inspect_options_t *options, struct spmmi_requests *requests,
                                  spmm_diag_t *diag);
void spmmi_requests_free(struct spmmi_requests *requests); /* also of one that is all zero */

#endif
