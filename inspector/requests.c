/* SPDX-License-Identifier: Apache-2.0 */
/* See requests.h. */
#include "requests.h"

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/plan.h"
#include "inspect_options.h"

/* A plan tells devices apart by their targets alone. */
static spmm_status_t check_distinct(const struct spmmi_request *list, int last, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const struct spmmi_request *const r = &list[last];
    for (int i = 0; i < last; i++)
        SPMM_REQUIRE(list[i].device.target != r->device.target, SPMM_ERR_ARGUMENT, diag,
                     "the devices \"%.60s\" and \"%.60s\" have the same target, %u: name one of them",
                     list[i].options.device, r->options.device, r->device.target);
cleanup:
    return status;
}

static spmm_status_t check_list(const spmm_inspect_options_t *o, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    SPMM_REQUIRE(o->target_count <= SPMMI_VARIANT_MAX, SPMM_ERR_ARGUMENT, diag,
                 "target_count must be 0 to %d, found %zu", SPMMI_VARIANT_MAX, o->target_count);
    SPMM_REQUIRE(o->targets != NULL || o->target_count == 0, SPMM_ERR_ARGUMENT, diag,
                 "targets is NULL, but target_count is %zu", o->target_count);
    SPMM_REQUIRE(o->device == NULL || o->target_count == 0, SPMM_ERR_ARGUMENT, diag,
                 "device \"%.60s\" and targets contradict each other: name it in targets", o->device);
    for (size_t i = 0; i < o->target_count; i++)
        SPMM_REQUIRE(o->targets[i] != NULL, SPMM_ERR_ARGUMENT, diag, "target %zu is NULL", i);
cleanup:
    return status;
}

/* The CPU beside the devices, with the kernel that the options name for it. It is measured where its variants are all
 * that a machine without a GPU runs: else the caller means the devices. */
static spmm_status_t add_beside(struct spmmi_requests *requests, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_request *const r = &requests->list[requests->count];
    if (requests->list[0].options.permute_output)
        return SPMM_OK;
    *r = requests->list[0];
    r->is_beside = true;
    r->family = r->on_cpu.family;
    r->schedule = r->on_cpu.schedule;
    for (int i = 0; i < requests->count; i++) {
        const uint32_t target = requests->list[i].device.target;
        if (target == SPMMI_TARGET_CPU)
            return SPMM_OK;
        if (target != SPMMI_TARGET_ANY)
            r->tuning.measure = NULL;
    }
    SPMM_TRY(spmmi_device_profile_open("cpu", &r->device, diag));
    requests->count++;
cleanup:
    return status;
}

spmm_status_t spmmi_requests_make(const spmm_inspect_options_t *options, struct spmmi_requests *requests,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_inspect_options_t one = SPMM_INSPECT_OPTIONS_INIT;
    *requests = (struct spmmi_requests){.list = NULL};
    SPMM_TRY(spmmi_options_read(&one, sizeof one, options, "inspect options", diag));
    SPMM_TRY(check_list(&one, diag));
    const size_t count = one.target_count > 0 ? one.target_count : 1;
    requests->list = spmmi_alloc_zero(count + 1, sizeof *requests->list);
    SPMM_TRY_ALLOC(requests->list, diag);
    for (; requests->count < (int)count; requests->count++) {
        if (one.target_count > 0)
            one.device = one.targets[requests->count];
        SPMM_TRY(spmmi_inspect_options(&one, &requests->list[requests->count], diag));
        SPMM_TRY(check_distinct(requests->list, requests->count, diag));
    }
    SPMM_TRY(add_beside(requests, diag));
cleanup:
    if (status != SPMM_OK)
        spmmi_requests_free(requests);
    return status;
}

void spmmi_requests_free(struct spmmi_requests *requests)
{
    spmmi_free(requests->list);
    *requests = (struct spmmi_requests){.list = NULL};
}
