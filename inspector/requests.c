/* SPDX-License-Identifier: Apache-2.0 */
/* See requests.h. */
#include "requests.h"

#include <string.h>

#include "format/base/alloc.h"
#include "format/base/diag.h"
#include "format/base/options.h"
#include "format/plan.h"
#include "inspect_options.h"

/* Checks that the last device has a new target: a plan distinguishes devices only by their targets. */
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

/* Checks that the types are distinct and that all but the widest can be rounded from it. Also checks that a
 * requested compute type belongs to one of them. */
static spmm_status_t check_types(const spmm_inspect_options_t *o, spmm_dtype_t widest, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    bool has_compute = o->compute == 0;
    for (size_t i = 0; i < o->a_type_count; i++) {
        const spmm_dtype_t type = o->a_types[i];
        SPMM_REQUIRE(spmm_dtype_size(type) != 0, SPMM_ERR_ARGUMENT, diag, "unknown type %d in a_types",
                     (int)type);
        for (size_t k = 0; k < i; k++)
            SPMM_REQUIRE(o->a_types[k] != type, SPMM_ERR_ARGUMENT, diag, "a_types has %s twice",
                         spmm_dtype_name(type));
        SPMM_REQUIRE(
            type == widest || spmmi_dtype_is_narrower(type, widest), SPMM_ERR_ARGUMENT, diag,
            "a_types has %s and %s, but neither can be rounded from the other: name a wider type too",
            spmm_dtype_name(widest), spmm_dtype_name(type));
        has_compute = has_compute || spmmi_compute_values(o->compute) == type;
    }
    SPMM_REQUIRE(has_compute, SPMM_ERR_ARGUMENT, diag, "compute is %s, which is of no type in a_types",
                 spmm_compute_name(o->compute));
cleanup:
    return status;
}

static spmm_status_t check_type_list(const spmm_inspect_options_t *o, spmm_dtype_t *widest, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    *widest = o->a_type;
    if (o->a_type_count == 0)
        return SPMM_OK;
    SPMM_REQUIRE(o->a_types != NULL && o->a_type_count <= SPMMI_VARIANT_MAX, SPMM_ERR_ARGUMENT, diag,
                 "a_types is %s, and a_type_count is %zu, expected at most %d",
                 o->a_types == NULL ? "NULL" : "a list", o->a_type_count, SPMMI_VARIANT_MAX);
    SPMM_REQUIRE(o->a_type == 0 && o->b_type == 0 && o->c_type == 0 && o->sum_type == 0, SPMM_ERR_ARGUMENT,
                 diag, "a_types and a_type, b_type, c_type or sum_type contradict each other");
    for (size_t i = 0; i < o->a_type_count; i++)
        if (i == 0 || spmmi_dtype_is_narrower(*widest, o->a_types[i]))
            *widest = o->a_types[i];
    SPMM_TRY(check_types(o, *widest, diag));
cleanup:
    return status;
}

/* Adds a request for the CPU beside the devices of one type, whose requests start at index `first`. It has
 * the kernel that the options name for the CPU. Its candidates are measured only if no device is a GPU:
 * otherwise the caller's function measures the GPUs. */
static spmm_status_t add_beside(struct spmmi_requests *requests, int first, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    struct spmmi_request *const r = &requests->list[requests->count];
    if (requests->list[first].options.permute_output)
        return SPMM_OK;
    *r = requests->list[first];
    r->is_beside = true;
    r->family = r->on_cpu.family;
    r->schedule = r->on_cpu.schedule;
    for (int i = first; i < requests->count; i++) {
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

/* Moves the CPU to the end, so that the plan does not depend on the position at which it was named. GPUs keep
 * the order in which they were named, and the plan depends on that order. */
static void put_cpu_last(struct spmmi_request *list, int count)
{
    for (int i = 0; i + 1 < count; i++)
        if (list[i].device.target == SPMMI_TARGET_CPU) {
            const struct spmmi_request cpu = list[i];
            memmove(&list[i], &list[i + 1], (size_t)(count - i - 1) * sizeof *list);
            list[count - 1] = cpu;
            return;
        }
}

/* Adds the requests of all devices for values of one type. */
static spmm_status_t add_type(const spmm_inspect_options_t *options, spmm_dtype_t type,
                              struct spmmi_requests *requests, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    const int first = requests->count;
    const size_t count = options->target_count > 0 ? options->target_count : 1;
    spmm_inspect_options_t one = *options;
    one.a_type = type;
    if (options->a_type_count > 0 && spmmi_compute_values(one.compute) != type)
        one.compute = (spmm_compute_t)0;
    for (size_t i = 0; i < count; i++) {
        if (options->target_count > 0)
            one.device = options->targets[i];
        SPMM_TRY(spmmi_inspect_options(&one, &requests->list[requests->count], diag));
        SPMM_TRY(check_distinct(requests->list + first, (int)i, diag));
        requests->count++;
    }
    put_cpu_last(&requests->list[first], (int)count);
    SPMM_TRY(add_beside(requests, first, diag));
cleanup:
    return status;
}

spmm_status_t spmmi_requests_make(const spmm_inspect_options_t *options, struct spmmi_requests *requests,
                                  spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    spmm_inspect_options_t known = SPMM_INSPECT_OPTIONS_INIT;
    spmm_dtype_t widest;
    *requests = (struct spmmi_requests){.list = NULL};
    SPMM_TRY(spmmi_options_read(&known, sizeof known, options, "inspect options", diag));
    SPMM_TRY(check_list(&known, diag));
    if (known.a_type == 0 && known.a_types != NULL &&
        known.a_type_count == 1) { /* same as naming it in a_type */
        known.a_type = known.a_types[0];
        known.a_type_count = 0;
    }
    SPMM_TRY(check_type_list(&known, &widest, diag));
    requests->list =
        spmmi_alloc_zero((known.target_count + 2) * (known.a_type_count + 1), sizeof *requests->list);
    SPMM_TRY_ALLOC(requests->list, diag);
    SPMM_TRY(add_type(&known, widest, requests, diag));
    for (size_t i = 0; i < known.a_type_count; i++)
        if (known.a_types[i] != widest)
            SPMM_TRY(add_type(&known, known.a_types[i], requests, diag));
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
