/* SPDX-License-Identifier: Apache-2.0 */
/* See needs.h. */
#include "needs.h"

#include "format/base/diag.h"

struct spmmi_needs spmmi_needs_new(uint64_t host_budget, uint64_t device_budget)
{
    return (struct spmmi_needs){.host_allowed = host_budget != 0 ? host_budget : UINT64_MAX,
                                .device_allowed = device_budget != 0 ? device_budget : UINT64_MAX};
}

void spmmi_needs_part(struct spmmi_needs *needs, const struct spmmi_part *part, uint64_t bytes)
{
    if (bytes < needs->largest_bytes)
        return;
    needs->largest = *part;
    needs->largest_bytes = bytes;
}

static spmm_status_t refuse(const struct spmmi_needs *needs, const char *memory, uint64_t needed,
                            uint64_t allowed, spmm_diag_t *diag)
{
    const struct spmmi_part *part = &needs->largest;
    return spmmi_diag_set(
        diag, SPMM_ERR_PLAN_BUDGET, (struct spmmi_where){0, 0, 0},
        "the executor needs %llu bytes of %s memory or more, %llu are allowed; %llu are for the "
        "part of %s/%s for op %s: allow more, or take another kernel",
        (unsigned long long)needed, memory, (unsigned long long)allowed,
        (unsigned long long)needs->largest_bytes, spmm_family_name(part->family),
        spmm_schedule_name(part->schedule), spmm_op_name(part->op));
}

spmm_status_t spmmi_needs_check(const struct spmmi_needs *needs, uint64_t more, spmm_diag_t *diag)
{
    const uint64_t host = needs->host + more;
    if (host > needs->host_allowed)
        return refuse(needs, "host", host, needs->host_allowed, diag);
    const uint64_t device = needs->device + needs->for_values.device;
    if (device > needs->device_allowed)
        return refuse(needs, "device", device, needs->device_allowed, diag);
    return SPMM_OK;
}
